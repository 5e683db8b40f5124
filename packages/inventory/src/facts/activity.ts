import type { LastSeen } from './operation-delta.ts';
import type { OperationState } from './operation-state.ts';
import { RISK_FLAGS, type RiskFlag, type RiskScores, scoreFlags } from './risk-flags.ts';

const DAY_MS = 86_400_000;
/** This many foreign origins show that an answer reflects every origin. */
const REFLECTED_ORIGINS_MIN = 3;
const SCORE_MAX = 255;

export type AuthPosture = 'authenticated' | 'anonymous' | 'inconsistent' | 'mixed' | 'unknown';

/** What is true of an operation within the active window. */
export interface Activity {
  readonly flags: LastSeen<RiskFlag>;
  readonly scores: RiskScores;
  readonly posture: AuthPosture;
  readonly pii: readonly string[];
  /** The first time at which something of it is no longer active; 0: nothing is. */
  readonly untilMs: number;
}

/** The start of the active window: what was seen at this time or later is active. */
export function activeSinceMs(nowMs: number, activeDays: number): number {
  return nowMs - activeDays * DAY_MS;
}

/** What is active now, with the flags that follow from several requests. The cutoff is the later one of the window and the reset. */
export function deriveActivity(state: OperationState, nowMs: number, activeDays: number): Activity {
  const cutoffMs = Math.max(activeSinceMs(nowMs, activeDays), state.scoresResetMs);
  const isActive = (atMs: number) => atMs > 0 && atMs >= cutoffMs;
  const seen = Object.fromEntries(
    (Object.entries(state.flags) as [RiskFlag, number][]).filter(
      ([flag, atMs]) => !RISK_FLAGS[flag].isDerived && isActive(atMs),
    ),
  ) as LastSeen<RiskFlag>;
  const derived = deriveFlags(state, isActive);
  const ofEvents = scoreFlags(Object.keys(seen) as RiskFlag[]);
  const ofDerived = scoreDerived(Object.keys(derived) as RiskFlag[]);
  const piiCutoffMs = Math.max(activeSinceMs(nowMs, activeDays), state.resetMs);
  const pii = (Object.entries(state.pii) as [string, number][]).filter(([, atMs]) => atMs >= piiCutoffMs);
  const times = [
    ...timesOf(seen),
    ...pii.map(([, atMs]) => atMs),
    ...[state.authenticatedMs, state.anonymousMs, state.refusedMs].filter(isActive),
    ...timesOf(state.schemes).filter(isActive),
    ...timesOf(state.reflectedOrigins).filter(isActive),
  ];
  return {
    flags: { ...seen, ...derived },
    scores: {
      threat: Math.min(SCORE_MAX, Math.min(ofEvents.threat, state.threatMax) + ofDerived.threat),
      exposure: Math.min(SCORE_MAX, Math.min(ofEvents.exposure, state.exposureMax) + ofDerived.exposure),
    },
    posture: derivePosture(state, isActive),
    pii: pii.map(([category]) => category),
    untilMs: times.length === 0 ? 0 : Math.min(...times) + activeDays * DAY_MS,
  };
}

function timesOf(seen: LastSeen<string>): readonly number[] {
  return Object.values<number | undefined>(seen).filter((atMs) => atMs !== undefined);
}

function derivePosture(state: OperationState, isActive: (atMs: number) => boolean): AuthPosture {
  const [authenticated, anonymous] = [isActive(state.authenticatedMs), isActive(state.anonymousMs)];
  if (authenticated && anonymous) return isActive(state.refusedMs) ? 'inconsistent' : 'mixed';
  if (authenticated) return 'authenticated';
  return anonymous ? 'anonymous' : 'unknown';
}

/** Each flag has the time of its newest evidence. */
function deriveFlags(state: OperationState, isActive: (atMs: number) => boolean): LastSeen<RiskFlag> {
  const flags: Partial<Record<RiskFlag, number>> = {};
  if (derivePosture(state, isActive) === 'inconsistent')
    flags.auth_inconsistent = Math.max(state.authenticatedMs, state.anonymousMs, state.refusedMs);
  const schemes = (Object.entries(state.schemes) as [string, number][]).filter(
    ([scheme, atMs]) => scheme !== 'none' && scheme !== 'cookie' && isActive(atMs),
  );
  if (schemes.length >= 2) flags.mixed_auth_schemes = Math.max(...schemes.map(([, atMs]) => atMs));
  const origins = timesOf(state.reflectedOrigins).filter(isActive);
  if (origins.length >= REFLECTED_ORIGINS_MIN) flags.cors_origin_reflection = Math.max(...origins);
  return flags;
}

/** Derived flags have no event, so their points are added to those of the events. */
function scoreDerived(flags: readonly RiskFlag[]): RiskScores {
  const all = flags.map((flag) => scoreFlags([flag]));
  return {
    threat: all.reduce((sum, { threat }) => sum + threat, 0),
    exposure: all.reduce((sum, { exposure }) => sum + exposure, 0),
  };
}

/** Records the derived flags that are active, and raises the lifetime scores to the active ones: no active score exceeds its lifetime score. */
export function recordActivity(state: OperationState, { flags, scores }: Activity): OperationState {
  return {
    ...state,
    flags: { ...state.flags, ...flags },
    threatMax: Math.max(state.threatMax, scores.threat),
    exposureMax: Math.max(state.exposureMax, scores.exposure),
  };
}
