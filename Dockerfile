FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Not `npm ci`: it refuses a lock file made where another platform's optional binaries were not to be had.
RUN npm install --no-save --no-audit --no-fund --omit=dev --omit=optional

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production PORT=3000 TIDINGS_DATA_DIR=/data
RUN mkdir /data && chown node:node /data
COPY --from=dependencies /app/node_modules node_modules
COPY package.json package-lock.json LICENSE ./
COPY schemas schemas
COPY src src
COPY layers layers
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "layers/cli/launch.mjs", "start"]
