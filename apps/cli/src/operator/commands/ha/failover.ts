import { ApiError, type CallOutput, type HaPair, type HaRoleChange, haRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import { CliFailure, EXIT, toFailure } from '../../exit-codes.ts';
import { act, type Given, type Output } from '../../nouns/verb.ts';
import { parseSeconds } from '../fleet.ts';
import { DRY_RUN } from '../inputs.ts';
import { PAIR } from './inputs.ts';
import { nameMember } from './members.ts';
import { describeMembers } from './tables.ts';

const WAIT_S = 30;
const POLL_MS = 500;

interface FailoverValues {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly wait: number;
}

export const FAILOVER = act<FailoverValues, typeof haRoutes.failover>(
  {
    help: 'move the addresses to the other member, and report what happened',
    route: haRoutes.failover,
    inputs: [
      PAIR,
      { flags: '--force', help: 'even if the other member is not ready: requests may fail until it is', to: 'force' },
      DRY_RUN,
      {
        flags: '--wait <seconds>',
        help: 'how long to wait until the other member has the addresses',
        read: parseSeconds,
        default: String(WAIT_S),
      },
    ],
  },
  failOver,
);

async function failOver(given: Given, { force = false, dryRun = false, wait }: FailoverValues): Promise<Output> {
  const { connection, project } = given.scope;
  const at = { params: { pair_id: given.id('pair') }, query: { project } };
  const { body: before } = await connection.call(haRoutes.read, at);
  const holder = findActive(before);
  if (dryRun) {
    await connection.call(haRoutes.failover, { ...at, query: { project, dry_run: 'true' }, body: { force } });
    return { json: before, text: describePlan(before, holder) };
  }
  await connection.call(haRoutes.failover, { ...at, body: { force } }).catch((error: unknown) => {
    throw explainRefusal(error, before, force);
  });
  const after = await waitForMove(given, { before, untilMs: Date.now() + wait * 1000 });
  const { body: history } = await connection.call(haRoutes.history, { ...at, query: { project, limit: 50 } });
  const takeover = findTakeover(history, before);
  return {
    json: { pair: after, takeover: takeover ?? null },
    text: describeOutcome(after, takeover),
    exit: exitOf(hasMoved(before, after), takeover),
  };
}

function describePlan(pair: HaPair, holder: string | undefined): string {
  const next = pair.members.find(({ client_id: id }) => id !== holder)?.name;
  const pending = pair.sync.pending.length;
  return [
    `${pair.name}: ${describeMembers(pair)}.`,
    `${next ?? 'The other member'} would take the addresses. Open connections end; clients connect again.`,
    ...(pending > 0 ? [`${pending} changes of services are still to be made on a member.`] : []),
  ].join('\n');
}

/** Adds what can be done next. */
function explainRefusal(error: unknown, { name }: HaPair, isForced: boolean): unknown {
  if (!(error instanceof ApiError)) return error;
  const { exitCode, message, lines } = toFailure(error);
  switch (error.body.code) {
    case 'ha.refused': {
      const reason = typeof error.body.reason === 'string' ? [`  reason: ${error.body.reason}`] : [];
      const hint = isForced ? [] : [`  To risk a short outage: flotilla ha pairs failover ${name} --force`];
      return new CliFailure(exitCode, message, [...lines, ...reason, ...hint]);
    }
    case 'ha.no_answer':
      return new CliFailure(exitCode, message, [
        ...lines,
        `  Look before you try again: flotilla ha pairs get ${name}`,
      ]);
    default:
      return error;
  }
}

interface Watch {
  readonly before: HaPair;
  readonly untilMs: number;
}

/** Reads the pair until the other member is active and nobody is on the way, or the time is over. */
async function waitForMove({ io, scope }: Given, { before, untilMs }: Watch): Promise<HaPair> {
  const at = { params: { pair_id: before.id }, query: { project: scope.project } };
  for (;;) {
    const { body } = await scope.connection.call(haRoutes.read, at);
    if (hasMoved(before, body) || Date.now() >= untilMs || io.signal.aborted) return body;
    await sleep(POLL_MS, io.signal);
  }
}

function findActive(pair: HaPair): string | undefined {
  return pair.members.find(({ client_id: id }) => pair.members_ha[id]?.role === 'active')?.client_id;
}

function hasMoved(before: HaPair, after: HaPair): boolean {
  const active = after.members.filter(({ client_id: id }) => after.members_ha[id]?.role === 'active');
  return active.length === 1 && active[0]?.client_id !== findActive(before);
}

function findTakeover({ items }: CallOutput<typeof haRoutes.history>, before: HaPair): HaRoleChange | undefined {
  const newest = Math.max(...Object.values(before.members_ha).map(({ epoch }) => epoch), 0);
  return items.find(({ role, epoch, failover }) => role === 'active' && epoch > newest && failover);
}

function describeOutcome(pair: HaPair, takeover: HaRoleChange | undefined): string {
  const roles = `${pair.name}: ${describeMembers(pair)}. Status: ${pair.status}.`;
  if (!takeover?.failover) return `${roles}\nNo take-over is reported yet.`;
  const { gap_ms: gap, bound_ms: bound, invariant } = takeover.failover;
  const name = nameMember(pair, takeover.client_id);
  return [
    roles,
    `${name} took the addresses in term ${takeover.epoch}. ${describeGap(gap)}`,
    `Both members may have them for at most ${bound} ms: ${INVARIANT_WORDS[invariant]}.`,
  ].join('\n');
}

const INVARIANT_WORDS = { kept: 'kept', violated: 'VIOLATED', unknown: 'not known' } as const;

function describeGap(gap: number | null): string {
  if (gap === null) return 'Nobody knows how long they had no holder.';
  if (gap < 0) return `Both members had them for ${-gap} ms.`;
  return `They had no holder for ${gap} ms.`;
}

function exitOf(isMoved: boolean, takeover: HaRoleChange | undefined): Output['exit'] {
  if (takeover?.failover?.invariant === 'violated') return EXIT.failed;
  return isMoved ? EXIT.ok : EXIT.unfinished;
}
