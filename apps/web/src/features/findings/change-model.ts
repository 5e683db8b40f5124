import type { FindingChange, FindingDecision, FindingSelection } from '@flotilla/contract';

type Change = FindingChange | { readonly owner_id: string | null };

/** The option without an owner. */
export const NOBODY = 'nobody';
export const ACCEPT_DAYS = 90;

export const toDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A change of some findings, which a person is about to make. */
export interface Asked {
  readonly select: FindingSelection;
  readonly count: number;
  readonly to: FindingDecision | 'owner';
  /** Called after the change. */
  readonly done?: () => void;
}

export interface Values {
  readonly note: string;
  readonly until: string;
  readonly owner: string | null;
}

/** undefined: something is missing. */
export function toChange(to: Asked['to'], { note, until, owner }: Values): Change | undefined {
  if (to === 'owner') return owner === null ? undefined : { owner_id: owner === NOBODY ? null : owner };
  if (to !== 'accepted') return { state: to, ...(note !== '' && { note }) };
  const end = Date.parse(`${until}T23:59:59`);
  return note === '' || Number.isNaN(end) ? undefined : { state: to, note, until: new Date(end).toISOString() };
}
