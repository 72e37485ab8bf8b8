import * as MemoryAudiences from "#layers/memory/Audiences.ts"
import * as MemoryBrands from "#layers/memory/Brands.ts"
import * as Database from "#layers/memory/Database.ts"
import * as MemoryLists from "#layers/memory/Lists.ts"
import * as MemoryMembers from "#layers/memory/Members.ts"
import * as MemoryMemberships from "#layers/memory/Memberships.ts"
import * as MemoryTenantTemplates from "#layers/memory/TenantTemplates.ts"
import * as MemoryTenants from "#layers/memory/Tenants.ts"
import * as MemoryConfigurations from "#layers/memory/ProviderConfigurations.ts"
import * as MemoryBulkJobs from "#layers/memory/BulkJobs.ts"
import * as MemoryStrategies from "#layers/memory/Strategies.ts"
import * as MemorySubmissions from "#layers/memory/Submissions.ts"
import * as MemoryTemplates from "#layers/memory/Templates.ts"
import { Brands } from "#src/content/Brands.ts"
import { TenantTemplates } from "#src/content/TenantTemplates.ts"
import { Submissions } from "#src/content/Submissions.ts"
import { Templates } from "#src/content/Templates.ts"
import { ProviderConfigurations } from "#src/delivery/providers/ProviderConfigurations.ts"
import type { Vendor } from "#src/delivery/Provider.ts"
import { Providers } from "#src/delivery/Providers.ts"
import { Strategies } from "#src/delivery/providers/Strategies.ts"
import { Jobs } from "#src/delivery/bulk/Jobs.ts"
import { Lists } from "#src/people/Lists.ts"
import { type Faults, meeting } from "#test/layers/http/Faults.ts"
import * as Fake from "#test/support/Fake.ts"
import * as FakeCatalogue from "#test/support/FakeCatalogue.ts"
import { secretKey } from "#test/support/SecretKeys.ts"
import { NodeCrypto } from "@effect/platform-node"
import { Effect, Layer } from "effect"

const memory = Layer.mergeAll(
  MemoryAudiences.layer,
  MemoryMembers.layer,
  MemoryMemberships.layer,
  MemoryTenants.layer,
  MemoryTenantTemplates.layer,
  MemoryTemplates.layer,
  MemoryStrategies.layer,
  MemorySubmissions.layer,
  MemoryConfigurations.layer,
  MemoryBrands.layer,
  MemoryBulkJobs.layer,
  MemoryLists.layer
).pipe(
  // The preferences' stores are over the same.
  Layer.provideMerge(Database.layer),
  Layer.provide([secretKey(7), NodeCrypto.layer])
)

const addressOf: NonNullable<Vendor["addressOf"]> = ({ email }) => typeof email === "string" ? email : undefined

/**
 * Brands, templates, strategies and configurations in memory, over a catalogue of doubles; what a POST does meets the faults.
 */
export const layer = (faults: Faults) => {
  const faulty = meeting(faults)
  const guarded = Layer.unwrap(Effect.gen(function*() {
    const brands = yield* Brands
    const templates = yield* Templates
    const tenantTemplates = yield* TenantTemplates
    const submissions = yield* Submissions
    const strategies = yield* Strategies
    const configurations = yield* ProviderConfigurations
    const lists = yield* Lists
    const jobs = yield* Jobs
    return Layer.mergeAll(
      Layer.succeed(Brands, { ...brands, create: (...args) => faulty(brands.create(...args)) }),
      Layer.succeed(TenantTemplates, {
        ...tenantTemplates,
        publish: (...args) => faulty(tenantTemplates.publish(...args))
      }),
      Layer.succeed(Templates, {
        ...templates,
        create: (...args) => faulty(templates.create(...args)),
        publish: (...args) => faulty(templates.publish(...args))
      }),
      Layer.succeed(Submissions, { ...submissions, submit: (...args) => faulty(submissions.submit(...args)) }),
      Layer.succeed(Strategies, { ...strategies, create: (...args) => faulty(strategies.create(...args)) }),
      Layer.succeed(ProviderConfigurations, {
        ...configurations,
        create: (...args) => faulty(configurations.create(...args))
      }),
      Layer.succeed(Jobs, {
        ...jobs,
        create: (...args) => faulty(jobs.create(...args)),
        add: (...args) => faulty(jobs.add(...args)),
        close: (...args) => faulty(jobs.close(...args))
      }),
      Layer.succeed(Lists, {
        ...lists,
        subscribe: (...args) => faulty(lists.subscribe(...args)),
        join: (...args) => faulty(lists.join(...args))
      })
    )
  }))
  const providers = Fake.layer([
    { ...Fake.nothing("sendgrid", "email"), addressOf },
    { ...Fake.nothing("smtp", "email"), names: ["relay"], addressOf },
    Fake.nothing("twilio", "sms")
  ])
  return guarded.pipe(
    Layer.provideMerge(Layer.fresh(memory)),
    Layer.merge(Layer.merge(
      FakeCatalogue.make().layer,
      Layer.effect(
        Providers,
        Effect.map(Providers, (given) => ({
          configured: (scope) => faulty(given.configured(scope))
        }))
      ).pipe(Layer.provide(providers))
    ))
  )
}
