import { PATH_RULES_LISTED_MAX, type PathRenaming, pathRuleRoutes } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { type NamedOperation, type Renaming, toOperationId, toPlace } from '@flotilla/inventory';
import * as z from 'zod';
import type { JobType, StepContext, StepResult } from '../../../platform/jobs/index.ts';
import type { StoredNaming } from '../collector/index.ts';
import { countNamed, findExistingIds, listNamed, type NamedRow, renameOperations } from '../inventory/index.ts';
import { Namer } from './namer.ts';
import { advanceRun, endRun, openRun } from './store.ts';

const paramsSchema = z.strictObject({
  apply: z.boolean(),
  /** The program has started it. It does not keep people from starting one of their own: two runs at the same time do each other no harm. */
  automatic: z.boolean().default(false),
});
export type RewriteParams = z.infer<typeof paramsSchema>;

type Context = StepContext<RewriteParams>;

export interface RewriteDeps {
  readonly readNaming: (project: string) => Promise<StoredNaming>;
  readonly now: () => Date;
}

/** Operations that are named at once. */
const NAMED = 500;
/** Operations that one transaction moves: it holds the lock of the project, for which collectors wait. */
const MOVED = 100;
/** Services and listeners of one operation that are tried. */
const PLACES_MAX = 256;

/**
 * Names the stored operations of a project by what is known now, and moves those whose name has changed. Each transaction is complete by itself and stores how far the
 * job is, so the job may be interrupted anywhere: another controller continues.
 */
export function createRewriteJob(deps: RewriteDeps): JobType<RewriteParams> {
  return {
    type: 'inventory.rewrite',
    title: 'Names the operations of the API inventory again',
    params: paramsSchema,
    route: pathRuleRoutes.rewrite,
    lockKey: ({ automatic }) => (automatic ? 'inventory.rewrite automatic' : 'inventory.rewrite'),
    about: () => ({ type: 'inventory', name: 'names' }),
    steps: [{ name: 'rename', effects: 'database', run: (ctx) => rewrite(ctx, deps) }],
  };
}

async function rewrite(ctx: Context, { readNaming, now }: RewriteDeps): Promise<StepResult> {
  const projectId = ctx.project;
  if (projectId === null) return { kind: 'no_work' };
  const run = { jobId: ctx.id, projectId, applies: ctx.params.apply };
  const { total, before } = await ctx.write(async (tx) => ({
    total: await countNamed(tx, projectId),
    before: await openRun(tx, run, now()),
  }));
  if (total === 0) return { kind: 'done', write: (tx) => endRun(tx, ctx.id, now()) };
  const namer = new Namer(await readNaming(projectId));
  const targets = new Set<string>();
  try {
    let { position, scanned } = before;
    for (;;) {
      ctx.signal.throwIfAborted();
      const after = position;
      const rows = await ctx.write((tx) => listNamed(tx, projectId, { after, limit: NAMED }));
      const last = rows.at(-1);
      if (last === undefined) break;
      const renamings = await namer.rename(rows.map(toNamed));
      await store(ctx, { projectId, rows, renamings, targets, now: now() });
      position = last.id;
      scanned += rows.length;
      await ctx.progress(Math.min(scanned, total), total);
    }
  } finally {
    await namer.close();
  }
  return { kind: 'done', write: (tx) => endRun(tx, ctx.id, now()) };
}

function toNamed({ method, host, path, services, listeners, isNamedByProtocol }: NamedRow): NamedOperation {
  const places = services.flatMap((service) => listeners.map((listener) => toPlace(service, listener)));
  return { method, host, path, isNamedByProtocol, places: places.slice(0, PLACES_MAX) };
}

interface Named {
  readonly projectId: string;
  readonly rows: readonly NamedRow[];
  readonly renamings: readonly Renaming[];
  /** Ids to which a dry run would have moved operations. */
  readonly targets: Set<string>;
  readonly now: Date;
}

async function store(ctx: Context, { projectId, rows, renamings, targets, now }: Named): Promise<void> {
  for (let at = 0; at < rows.length; at += MOVED) {
    ctx.signal.throwIfAborted();
    const part = rows.slice(at, at + MOVED);
    const changes = part.flatMap((row, index) => toChange(row, renamings[at + index]));
    const moves = changes.filter(({ kind }) => kind === 'moves');
    await ctx.write(async (tx) => {
      const renames = moves.map(({ operation_id: id, to }) => ({ id, path: to[0] ?? '' }));
      const outcome = ctx.params.apply
        ? await renameOperations(tx, projectId, { renames, now })
        : { moved: moves.length, merged: await countMerges(tx, projectId, { moves, targets }) };
      await advanceRun(tx, ctx.id, {
        position: part.at(-1)?.id ?? '',
        scanned: part.length,
        ...outcome,
        split: changes.length - moves.length,
        renamings: changes.slice(0, PATH_RULES_LISTED_MAX),
      });
    });
  }
}

/** Counts what a dry run would merge: several operations into one, or one into one that exists. */
async function countMerges(
  tx: Tx,
  projectId: string,
  { moves, targets }: { readonly moves: readonly PathRenaming[]; readonly targets: Set<string> },
): Promise<number> {
  const ids = moves.map(({ method, host, to }) =>
    toOperationId(projectId, { method, host, normalizedPath: to[0] ?? '', operation: '' }),
  );
  const existing = await findExistingIds(tx, projectId, ids);
  let merged = 0;
  for (const id of ids) {
    if (targets.has(id) || existing.has(id)) merged += 1;
    targets.add(id);
  }
  return merged;
}

function toChange(row: NamedRow, renaming: Renaming | undefined): PathRenaming[] {
  if (renaming === undefined || renaming.kind === 'stays') return [];
  return [
    {
      kind: renaming.kind,
      operation_id: row.id,
      method: row.method as PathRenaming['method'],
      host: row.host,
      normalized_path: row.path,
      to: renaming.kind === 'moves' ? [renaming.path] : [...renaming.paths],
      seen_count: row.seen,
    },
  ];
}
