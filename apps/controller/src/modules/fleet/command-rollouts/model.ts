import type { CommandRolloutBody } from '@flotilla/contract';
import * as z from 'zod';

const named = z.strictObject({ id: z.string(), name: z.string() });

/** The parameters of the job. Its clients are those of the start: a label that is set later changes nothing. */
export const rolloutSchema = z.strictObject({
  type: z.string(),
  sub_type: z.string(),
  /** Encrypted at rest, because some commands contain secrets. */
  command: z.record(z.string(), z.unknown()).meta({ secret: true }),
  service: named.nullable(),
  clients: z.array(named),
  first_wave: z.int(),
  wave_size: z.int(),
  pause_s: z.int(),
  wait_s: z.int(),
  stop_at_failures: z.int().nullable(),
  stop_at_failed_percent: z.int().nullable(),
});
export type RolloutParams = z.infer<typeof rolloutSchema>;

type Schedule = Pick<
  RolloutParams,
  'first_wave' | 'wave_size' | 'pause_s' | 'wait_s' | 'stop_at_failures' | 'stop_at_failed_percent'
>;

const WAVE_PERCENT_DEFAULT = 10;

/** Turns shares into numbers of clients. */
export function toSchedule(body: CommandRolloutBody, clients: number): Schedule {
  const share = body.wave_percent ?? WAVE_PERCENT_DEFAULT;
  const size = body.wave_size ?? Math.ceil((clients * share) / 100);
  const isUnlimited = body.stop_at_failures === undefined && body.stop_at_failed_percent === undefined;
  return {
    first_wave: body.first_wave ?? size,
    wave_size: size,
    pause_s: body.pause_s,
    wait_s: body.wait_s,
    stop_at_failures: body.stop_at_failures ?? (isUnlimited ? 1 : null),
    stop_at_failed_percent: body.stop_at_failed_percent ?? null,
  };
}

/** The clients of each wave, in the order of `clients`. */
export function splitWaves<T>(clients: readonly T[], { first_wave, wave_size }: Schedule): T[][] {
  const waves = [clients.slice(0, first_wave)];
  for (let at = first_wave; at < clients.length; at += wave_size) waves.push(clients.slice(at, at + wave_size));
  return waves;
}

/** A client to which its wave was sent. */
export interface RolloutTarget {
  readonly client_id: string;
  readonly wave: number;
  readonly sent_at: Date;
  readonly settled_at: Date | null;
  /** Why nothing was sent, or not everything. */
  readonly refusal: string | null;
  readonly commands: readonly { readonly id: string; readonly status: string; readonly error: string | null }[];
}

export type TargetState = { readonly kind: 'open' | 'done' } | { readonly kind: 'failed'; readonly reason: string };

const UNFINISHED = ['pending', 'sent', 'running'];

/** A client that has not ended when its wave is over has failed; it may still end later. */
export function judge({ refusal, commands, settled_at }: RolloutTarget, waitS: number): TargetState {
  if (refusal !== null) return { kind: 'failed', reason: refusal };
  const bad = commands.find(({ status }) => status !== 'done' && !UNFINISHED.includes(status));
  if (bad) return { kind: 'failed', reason: bad.error ?? `The command ended as ${bad.status}.` };
  if (commands.every(({ status }) => status === 'done')) return { kind: 'done' };
  if (settled_at === null) return { kind: 'open' };
  return { kind: 'failed', reason: `The client has not ended within ${waitS} s.` };
}

export type Decision =
  | { readonly kind: 'send'; readonly wave: number }
  /** `forMs`: until the wave is over in any case. */
  | { readonly kind: 'wait'; readonly commandIds: readonly string[]; readonly forMs: number; readonly sinceMs: number }
  | { readonly kind: 'settle'; readonly wave: number }
  | { readonly kind: 'pause'; readonly forMs: number }
  | { readonly kind: 'end'; readonly isStopped: boolean };

/** Decides what a rollout does next. */
export function decide(params: RolloutParams, targets: readonly RolloutTarget[], now: Date): Decision {
  const wave = Math.max(...targets.map((target) => target.wave));
  const last = targets.filter((target) => target.wave === wave);
  const [first] = last;
  if (!first) return { kind: 'send', wave: 0 };
  if (first.settled_at === null) {
    const open = last.filter((target) => judge(target, params.wait_s).kind === 'open');
    const sinceMs = now.getTime() - first.sent_at.getTime();
    const forMs = params.wait_s * 1000 - sinceMs;
    if (open.length === 0 || forMs <= 0) return { kind: 'settle', wave };
    return { kind: 'wait', commandIds: open.flatMap(({ commands }) => commands.map(({ id }) => id)), forMs, sinceMs };
  }
  const isLast = targets.length >= params.clients.length;
  if (isLast || mustStop(params, targets)) return { kind: 'end', isStopped: !isLast };
  const forMs = first.settled_at.getTime() + params.pause_s * 1000 - now.getTime();
  return forMs > 0 ? { kind: 'pause', forMs } : { kind: 'send', wave: wave + 1 };
}

function mustStop(params: RolloutParams, targets: readonly RolloutTarget[]): boolean {
  const failed = targets.filter((target) => judge(target, params.wait_s).kind === 'failed').length;
  if (params.stop_at_failures !== null && failed >= params.stop_at_failures) return true;
  const share = params.stop_at_failed_percent;
  return share !== null && failed * 100 >= share * targets.length;
}

/** Names of clients by id, each only once: clients may have equal names. */
export function nameClients(clients: RolloutParams['clients']): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { name } of clients) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(clients.map(({ id, name }) => [id, counts.get(name) === 1 ? name : `${name} (${id})`]));
}
