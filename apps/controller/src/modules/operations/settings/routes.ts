import {
  apiDiscoverySettingRoutes,
  fail,
  failSetting,
  ldapSettingRoutes,
  SETTINGS,
  type SettingsType,
  type SettingTrial,
  secretPathsOf,
  settingRoutes,
  syslogSettingRoutes,
} from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { JsonObject } from '@flotilla/envoy-api';
import * as z from 'zod';
import type { Reply, RequestContext } from '../../../platform/http/context.ts';
import { tagOf } from '../../../platform/http/etag.ts';
import { isSystemOwner } from '../../../platform/http/guard.ts';
import { implement, type Route } from '../../../platform/http/route.ts';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { checkPatch, checkWhole, findType } from '../../../platform/settings/check.ts';
import type { SettingFollowUps } from '../../../platform/settings/follow-ups.ts';
import type { SettingGuards } from '../../../platform/settings/guards.ts';
import {
  canInherit,
  findSetting,
  listNames,
  listRevisions,
  type SettingPlace,
} from '../../../platform/settings/store.ts';
import { listRefusals } from '../../../platform/settings/stored-value.ts';
import type { SettingTrials } from '../../../platform/settings/trials.ts';
import { trySetting } from '../../../platform/settings/try.ts';
import { toInheritedView, toPrivate, toView } from '../../../platform/settings/views.ts';
import { removeSetting, type SettingWrite, writeSetting } from '../../../platform/settings/write.ts';

export interface SettingRouteDeps {
  /** In the scope of everything, because the installation's documents belong to no project. */
  readonly db: Db;
  readonly keyring: Keyring;
  readonly trials: SettingTrials;
  readonly guards: SettingGuards;
  readonly followUps: SettingFollowUps;
}

interface Named {
  readonly key: string;
  readonly name?: string;
}

interface Given {
  readonly body: unknown;
  readonly query: { readonly confirm?: number | undefined };
}

type How = Pick<SettingWrite, 'change' | 'expects'>;

/** Handlers for any settings document; `named` says which one. */
function createHandlers(deps: SettingRouteDeps) {
  const { keyring, guards, followUps } = deps;
  const show = async (ctx: RequestContext, named: Named): Promise<Reply> => {
    const { place, db } = locate(deps, ctx, named);
    const row = await findPresent(db, place);
    const inherited = row ? undefined : await findInherited(deps, place);
    const view = inherited ?? toView(place, row);
    const refused = listRefusals(place.type, view.value as JsonObject);
    const body = { ...view, ...(refused.length > 0 && { refused }) };
    // Inherited values change without a write to the project, so they have no ETag.
    return { body, ...(!inherited && { etag: row ? tagOf(row) : view.revision }) };
  };
  const write = async (
    ctx: RequestContext,
    place: SettingPlace,
    { confirm }: Given['query'],
    how: How,
  ): Promise<Reply> => {
    const inherited = (await findInherited(deps, place))?.value as JsonObject | undefined;
    return ctx.write((tx) => writeSetting(ctx, tx, { place, keyring, guards, followUps, confirm, inherited, ...how }));
  };
  const replace = (ctx: RequestContext, named: Named, { body, query }: Given): Promise<Reply> => {
    const place = locateWrite(ctx, named);
    return write(ctx, place, query, { change: () => checkWhole(place.type, body) });
  };
  const patch = (ctx: RequestContext, named: Named, { body, query }: Given): Promise<Reply> => {
    const place = locateWrite(ctx, named);
    return write(ctx, place, query, {
      change: (stored) => checkPatch(place.type, stored, body as JsonObject),
      ...(place.type.named && { expects: 'present' }),
    });
  };
  const remove = (ctx: RequestContext, named: Named, { confirm }: Given['query']): Promise<Reply> => {
    const place = locateWrite(ctx, named);
    return ctx.write((tx) => removeSetting(ctx, tx, { place, keyring, guards, followUps, confirm }));
  };
  const test = (ctx: RequestContext, named: Named, body: unknown): Promise<Reply> => {
    const place = locateWrite(ctx, named);
    return trySetting(ctx, { ...deps, db: place.project === null ? deps.db : ctx.db }, place, body);
  };
  const history = async (ctx: RequestContext, named: Named): Promise<Reply> => {
    const { place, db } = locate(deps, ctx, named);
    const rows = await listRevisions(db, place);
    const items = rows.map(({ secrets, updated_at, ...row }) => ({
      ...row,
      private: toPrivate(secrets),
      updated_at: updated_at.toISOString(),
    }));
    return { body: { items } };
  };
  return { show, replace, patch, remove, test, history };
}

/** Routes of all settings documents under one path, and of singletons at their own addresses. */
export function createSettingRoutes(deps: SettingRouteDeps): Route[] {
  const { show, replace, patch, remove, test, history } = createHandlers(deps);
  return [
    implement(settingRoutes.kinds, async (ctx) => ({ body: { items: await listKinds(deps, ctx) } })),
    implement(settingRoutes.get, (ctx, { params }) => show(ctx, params)),
    implement(settingRoutes.getNamed, (ctx, { params }) => show(ctx, params)),
    implement(settingRoutes.replace, (ctx, { params, ...given }) => replace(ctx, params, given)),
    implement(settingRoutes.replaceNamed, (ctx, { params, ...given }) => replace(ctx, params, given)),
    implement(settingRoutes.patch, (ctx, { params, ...given }) => patch(ctx, params, given)),
    implement(settingRoutes.patchNamed, (ctx, { params, ...given }) => patch(ctx, params, given)),
    implement(settingRoutes.test, (ctx, { params, body }) => test(ctx, params, body)),
    implement(settingRoutes.testNamed, (ctx, { params, body }) => test(ctx, params, body)),
    implement(settingRoutes.reset, (ctx, { params, query }) => remove(ctx, params, query)),
    implement(settingRoutes.deleteNamed, (ctx, { params, query }) => remove(ctx, params, query)),
    implement(settingRoutes.revisions, (ctx, { params }) => history(ctx, params)),
    implement(settingRoutes.revisionsOfNamed, (ctx, { params }) => history(ctx, params)),
    implement(ldapSettingRoutes.get, (ctx) => show(ctx, { key: 'ldap' })),
    implement(ldapSettingRoutes.replace, (ctx, { body }) => replace(ctx, { key: 'ldap' }, { body, query: {} })),
    implement(ldapSettingRoutes.reset, (ctx) => remove(ctx, { key: 'ldap' }, {})),
    implement(syslogSettingRoutes.get, (ctx) => show(ctx, { key: 'syslog' })),
    implement(syslogSettingRoutes.replace, (ctx, { body }) => replace(ctx, { key: 'syslog' }, { body, query: {} })),
    implement(syslogSettingRoutes.reset, (ctx) => remove(ctx, { key: 'syslog' }, {})),
    implement(syslogSettingRoutes.test, async (ctx, { body }) => {
      const reply = await test(ctx, { key: 'syslog' }, body);
      return { ...reply, body: toTestResult(reply.body as SettingTrial) };
    }),
    implement(apiDiscoverySettingRoutes.get, (ctx) => show(ctx, { key: 'api_discovery' })),
    implement(apiDiscoverySettingRoutes.replace, (ctx, { body }) =>
      replace(ctx, { key: 'api_discovery' }, { body, query: {} }),
    ),
    implement(apiDiscoverySettingRoutes.reset, (ctx) => remove(ctx, { key: 'api_discovery' }, {})),
  ];
}

/** The answer format of this address only. */
function toTestResult({ ok, latency_ms, steps }: SettingTrial) {
  const error = steps.find((step) => !step.ok)?.message;
  return { success: ok, latency_ms, ...(error && { error }) };
}

async function listKinds({ db, trials }: SettingRouteDeps, ctx: RequestContext) {
  const ofProject = ctx.scope ? await listNames(ctx.db, ctx.scope.id) : [];
  const names = [...ofProject, ...(await listNames(db, null))];
  const isOwner = isSystemOwner(ctx.actor);
  const shown = SETTINGS.filter(({ scope, ownersOnly }) =>
    scope === 'installation' ? !ownersOnly || isOwner : ctx.scope,
  );
  return shown.map((type) => ({
    key: type.key,
    title: type.title,
    scope: type.scope,
    per_project: type.perProject === true,
    named: type.named !== undefined,
    names: names.filter(({ key }) => key === type.key).map(({ name }) => name),
    json_schema: z.toJSONSchema(type.schema, { io: 'input' }),
    secret_paths: secretPathsOf(type.schema),
    may_write: isOwner || isProjects(ctx, type),
    may_test: trials.has(type) && (isOwner || isProjects(ctx, type)),
  }));
}

/** Whether the requested document belongs to a project. */
function isProjects(ctx: RequestContext, { scope, perProject }: SettingsType): boolean {
  return scope === 'project' || (perProject === true && ctx.scope !== undefined);
}

/** The inherited value of a project without its own document; undefined for all other documents. */
async function findInherited({ db }: SettingRouteDeps, place: SettingPlace) {
  if (!canInherit(place)) return undefined;
  return toInheritedView(place, await findSetting(db, { ...place, project: null }));
}

/** Locates a requested document, and the database scope that shows it. */
function locate(deps: SettingRouteDeps, ctx: RequestContext, { key, name }: Named): { place: SettingPlace; db: Db } {
  const type = findType(key, name);
  if (type.ownersOnly && !isSystemOwner(ctx.actor)) throw fail('owner.required');
  if (!isProjects(ctx, type)) return { place: { type, project: null, name: name ?? '' }, db: deps.db };
  if (!ctx.scope) throw fail('project.missing', { where: 'query parameter' });
  return { place: { type, project: ctx.scope.id, name: name ?? '' }, db: ctx.db };
}

/** The installation's documents may only be written by its owners, and not in a project. */
function locateWrite(ctx: RequestContext, { key, name }: Named): SettingPlace {
  const type = findType(key, name);
  if (!isProjects(ctx, type)) {
    if (!isSystemOwner(ctx.actor)) throw fail('owner.required');
    if (ctx.scope) throw failSetting('setting.of_installation', { key });
    return { type, project: null, name: name ?? '' };
  }
  if (!ctx.scope) throw fail('project.missing', { where: 'query parameter' });
  return { type, project: ctx.scope.id, name: name ?? '' };
}

async function findPresent(db: Db, place: SettingPlace) {
  const row = await findSetting(db, place);
  if (place.type.named && !row) throw fail('record.not_found', { kind: place.type.key, name: place.name });
  return row;
}
