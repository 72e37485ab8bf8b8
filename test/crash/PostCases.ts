import { type Caller, toEmail } from "#test/support/Caller.ts"

/** One POST of the API as the crash suite runs it, beside others that must not change its answer. `name` is new for each run. */
export interface PostCase {
  /** Makes what the operation acts on, and answers its id. */
  readonly prepare: (caller: Caller, name: string) => Promise<string>
  readonly path: (subject: string) => string
  readonly body: (name: string, subject: string) => unknown
  /** Counts how often the operation had its effect; `$1` is the subject, `$2` the name. */
  readonly effects: string
  /** Its answer is a credential, which nobody reads in the database (P9). */
  readonly isSealed?: true
}

const nothing = () => Promise.resolve("")
const hour = 3_600_000

const sent = (more: object) => async (caller: Caller, name: string): Promise<string> => {
  const { body } = await caller.insist("/send", `prepare-${name}`, toEmail(name, more))
  const { requestId }: { readonly requestId: string } = JSON.parse(body)
  return requestId
}

const created =
  (path: string, body: (name: string) => unknown) => async (caller: Caller, name: string): Promise<string> => {
    const answer = await caller.insist(path, `prepare-${name}`, body(name))
    const { id }: { readonly id: string } = JSON.parse(answer.body)
    return id
  }

const template = (name: string) => ({
  notification: {
    name,
    tags: [],
    brand: null,
    subscription: null,
    routing: null,
    content: { version: "2022-01-01", elements: [{ type: "text", content: "Hi" }] }
  }
})

const strategy = (name: string) => ({ name, routing: { method: "single", channels: ["email"] } })

const webhook = (name: string) => ({ url: "https://example.com/", description: name, state: "DISABLED" })

const section = (name: string) => ({ name })

const topic = (name: string) => ({ name, default_status: "OPTED_IN" })

/** A topic in a section of its own. */
const madeTopic = async (caller: Caller, name: string): Promise<string> => {
  const sectionId = await created("/preferences/sections", section)(caller, name)
  return await created(`/preferences/sections/${sectionId}/topics`, topic)(caller, `${name}-topic`)
}

const madeJob = async (caller: Caller, name: string): Promise<string> => {
  const { body } = await caller.insist("/bulk", `prepare-${name}`, { message: { event: name } })
  const { jobId }: { readonly jobId: string } = JSON.parse(body)
  return jobId
}

/**
 * Writes of profiles, subscriptions, preferences and secrets, and resumed requests, are counted by triggers, since one done twice looks like one done
 * once. A trigger sets requests aside, which no caller can.
 */
export const setup = [
  `create table crash_preference_writes (topic_id text not null)`,
  `create function crash_count_preferences() returns trigger language plpgsql as
    $$ begin insert into crash_preference_writes values (new.topic_id); return new; end $$`,
  `create trigger crash_count_preferences after insert or update on user_preferences
    for each row execute function crash_count_preferences()`,
  `create table crash_profile_writes (user_id text not null)`,
  `create function crash_count() returns trigger language plpgsql as
    $$ begin insert into crash_profile_writes values (new.user_id); return new; end $$`,
  `create trigger crash_count after insert or update on profiles for each row execute function crash_count()`,
  `create table crash_subscription_writes (list_id text not null, user_id text not null)`,
  `create function crash_count_subscription() returns trigger language plpgsql as
    $$ begin insert into crash_subscription_writes values (new.list_id, new.user_id); return new; end $$`,
  `create trigger crash_count after insert or update on list_subscriptions
    for each row execute function crash_count_subscription()`,
  `create table crash_secret_writes (webhook_id text not null)`,
  `create function crash_count_secret() returns trigger language plpgsql as
    $$ begin insert into crash_secret_writes values (new.id); return new; end $$`,
  `create trigger crash_count after update on webhooks for each row execute function crash_count_secret()`,
  `create function crash_set_aside() returns trigger language plpgsql as
    $$ begin new.state = 'FAILED'; new.due_at = null; return new; end $$`,
  `create trigger crash_set_aside before insert on expansions for each row
    when (new.recipients like '%crash-aside%') execute function crash_set_aside()`,
  `create table crash_resumes (request_id text not null)`,
  `create function crash_count_resume() returns trigger language plpgsql as
    $$ begin insert into crash_resumes values (new.id); return new; end $$`,
  `create trigger crash_count_resume after update on expansions for each row
    when (old.state = 'FAILED' and new.state = 'RUNNING') execute function crash_count_resume()`
]

/** A row for every POST of the route table, by path. */
export const cases: Readonly<Record<string, PostCase>> = {
  "/send": {
    prepare: nothing,
    path: () => "/send",
    body: (name) => toEmail(name),
    effects: `select count(*)::int as count from messages where recipient_name = $2 || '@example.com' and $1 = ''`
  },
  "/bulk": {
    prepare: nothing,
    path: () => "/bulk",
    body: (name) => ({ message: { event: name } }),
    effects: `select count(*)::int as count from bulk_jobs where definition like '%"' || $2 || '"%' and $1 = ''`
  },
  "/bulk/:job_id": {
    prepare: madeJob,
    path: (id) => `/bulk/${id}`,
    body: (name) => ({ users: [{ profile: { email: `${name}@example.com` } }] }),
    effects: `select received as count from bulk_jobs where id = $1 and $2 <> ''`
  },
  "/bulk/:job_id/run": {
    prepare: async (caller, name) => {
      const id = await madeJob(caller, name)
      await caller.insist(`/bulk/${id}`, `fill-${name}`, { users: [{ profile: { email: `${name}@example.com` } }] })
      return id
    },
    path: (id) => `/bulk/${id}/run`,
    body: () => undefined,
    effects: `select count(*)::int as count from expansions join bulk_jobs on request_id = expansions.id
      where bulk_jobs.id = $1 and $2 <> ''`
  },
  "/messages/:message_id/cancel": {
    prepare: sent({ delay: { duration: hour } }),
    path: (id) => `/messages/${id}/cancel`,
    body: () => undefined,
    effects: `select count(*)::int as count from messages join history on message_id = id and step = 'Cancel'
      where id = $1 and status = 'CANCELED' and $2 <> ''`
  },
  "/messages/:message_id/resend": {
    prepare: sent({}),
    path: (id) => `/messages/${id}/resend`,
    body: () => undefined,
    effects: `select count(*)::int as count from messages where recipient_name = $2 || '@example.com' and id <> $1`
  },
  "/requests/:request_id/resume": {
    prepare: async (caller, name) => {
      const message = { to: { list_id: `crash-aside-${name}` }, content: { title: name, body: name } }
      const { body } = await caller.insist("/send", `prepare-${name}`, { message })
      const { requestId }: { readonly requestId: string } = JSON.parse(body)
      return requestId
    },
    path: (id) => `/requests/${id}/resume`,
    body: () => undefined,
    effects: `select count(*)::int as count from crash_resumes where request_id = $1 and $2 <> ''`
  },
  "/profiles/:user_id": {
    prepare: (_, name) => Promise.resolve(name),
    path: (name) => `/profiles/${name}`,
    body: (name) => ({ profile: { email: `${name}@example.com`, custom: { seen: 1 } } }),
    effects: `select count(*)::int as count from crash_profile_writes where user_id = $1 and user_id = $2`
  },
  "/profiles/:user_id/lists": {
    prepare: (_, name) => Promise.resolve(name),
    path: (name) => `/profiles/${name}/lists`,
    body: (name) => ({ lists: [{ listId: `list.${name}`, preferences: { notifications: {} } }] }),
    effects:
      `select count(*)::int as count from crash_subscription_writes where user_id = $1 and list_id = 'list.' || $2`
  },
  "/lists/:list_id/subscriptions": {
    prepare: (_, name) => Promise.resolve(name),
    path: (name) => `/lists/${name}/subscriptions`,
    body: (name) => ({ recipients: [{ recipientId: name }] }),
    effects: `select count(*)::int as count from crash_subscription_writes where list_id = $1 and user_id = $2`
  },
  "/preferences/sections": {
    prepare: nothing,
    path: () => "/preferences/sections",
    body: section,
    effects: `select count(*)::int as count from preference_sections where section like '%"' || $2 || '"%' and $1 = ''`
  },
  "/preferences/sections/:section_id/topics": {
    prepare: created("/preferences/sections", section),
    path: (id) => `/preferences/sections/${id}/topics`,
    body: topic,
    effects: `select count(*)::int as count from preference_topics
      where section_id = $1 and topic like '%"' || $2 || '"%'`
  },
  "/preferences/publish": {
    prepare: nothing,
    path: () => "/preferences/publish",
    body: (heading) => ({ heading }),
    effects: `select count(*)::int as count from preference_pages where page like '%"' || $2 || '"%' and $1 = ''`
  },
  "/users/:user_id/preferences": {
    prepare: madeTopic,
    path: () => "/users/ada/preferences",
    body: (_, id) => ({ topics: [{ topic_id: id, status: "OPTED_OUT" }] }),
    effects: `select count(*)::int as count from crash_preference_writes where topic_id = $1 and $2 <> ''`
  },
  "/notifications": {
    prepare: nothing,
    path: () => "/notifications",
    body: template,
    effects: `select count(*)::int as count from templates where draft like '%"' || $2 || '"%' and $1 = ''`
  },
  "/notifications/:id/publish": {
    prepare: created("/notifications", template),
    path: (id) => `/notifications/${id}/publish`,
    body: () => ({}),
    effects: `select count(*)::int as count from template_versions where template_id = $1 and $2 <> ''`
  },
  "/notifications/:id/preview": {
    prepare: async (caller, name) => {
      // The first brand is everyone's default, and a neighbour makes brands.
      await created("/brands", section)(caller, `${name}-brand`)
      return await created("/notifications", template)(caller, name)
    },
    path: (id) => `/notifications/${id}/preview`,
    body: () => ({ data: { a: 1 } }),
    // It changes nothing but the key that remembers its answer.
    effects: `select count(*)::int as count from idempotency
      where path = '/notifications/' || $1 || '/preview' and key = 'key-' || $2`
  },
  "/routing-strategies": {
    prepare: nothing,
    path: () => "/routing-strategies",
    body: strategy,
    effects: `select count(*)::int as count from routing_strategies where strategy like '%"' || $2 || '"%' and $1 = ''`
  },
  "/routing-strategies/:id/explain": {
    prepare: created("/routing-strategies", strategy),
    path: (id) => `/routing-strategies/${id}/explain`,
    body: () => ({ faults: [] }),
    // It changes nothing but the key that remembers its answer.
    effects: `select count(*)::int as count from idempotency
      where path = '/routing-strategies/' || $1 || '/explain' and key = 'key-' || $2`
  },
  "/tenants/:tenant_id/templates/:template_id/publish": {
    prepare: async (caller, name) => {
      await caller.call("PUT", `/tenants/${name}`, { body: { name } })
      const { elements } = template(name).notification.content
      await caller.call("PUT", `/tenants/${name}/templates/t`, { body: { template: { content: { elements } } } })
      return name
    },
    path: (id) => `/tenants/${id}/templates/t/publish`,
    body: () => ({}),
    effects: `select count(*)::int as count from tenant_templates where tenant_id = $1 and tenant_id = $2 and live = 1`
  },
  "/brands": {
    prepare: nothing,
    path: () => "/brands",
    body: (name) => ({ name }),
    effects: `select count(*)::int as count from brands where name = $2 and $1 = ''`
  },
  "/notifications/:id/submissions": {
    prepare: created("/notifications", template),
    path: (id) => `/notifications/${id}/submissions`,
    body: () => undefined,
    effects: `select count(*)::int as count from template_submissions where template_id = $1 and $2 <> ''`
  },
  "/auth/issue-token": {
    prepare: nothing,
    path: () => "/auth/issue-token",
    body: (name) => ({ scope: `user_id:${name} read:messages`, expires_in: "1h" }),
    // A token is kept nowhere but in the answer that its key remembers.
    effects: `select count(*)::int as count from idempotency
      where path = '/auth/issue-token' and key = 'key-' || $2 and $1 = ''`,
    isSealed: true
  },
  "/providers": {
    prepare: nothing,
    path: () => "/providers",
    body: (name) => ({ provider: "sendgrid", title: name }),
    effects: `select count(*)::int as count from provider_configurations where title = $2 and $1 = ''`
  },
  "/webhooks": {
    prepare: nothing,
    path: () => "/webhooks",
    body: webhook,
    effects: `select count(*)::int as count from webhooks where description = $2 and $1 = ''`,
    isSealed: true
  },
  "/webhooks/:id/secret": {
    prepare: created("/webhooks", webhook),
    path: (id) => `/webhooks/${id}/secret`,
    body: () => ({}),
    effects: `select count(*)::int as count from crash_secret_writes where webhook_id = $1 and $2 <> ''`,
    isSealed: true
  }
}
