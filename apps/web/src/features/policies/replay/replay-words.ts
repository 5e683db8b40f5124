import type { ReplayReport } from '@flotilla/contract';

type Group = ReplayReport['by_route']['groups'][number];
export type ReplayFlip = ReplayReport['samples'][number]['flip'];

export const FLIPS: readonly ReplayFlip[] = ['allow_to_block', 'block_to_allow', 'other_reason', 'detection_changed'];

const FLIP_WORDS: Readonly<Record<ReplayFlip, string>> = {
  allow_to_block: 'Newly blocked',
  block_to_allow: 'No longer blocked',
  other_reason: 'Blocked for another reason',
  detection_changed: 'Detected otherwise',
};

export function flipWords(flip: ReplayFlip): string {
  return FLIP_WORDS[flip];
}

/** The outcome in one sentence, with what it is compared with. */
export function headline({ totals, baseline }: ReplayReport): string {
  const { requests, flips } = totals;
  const than = baseline.kind === 'policy' ? 'under the stored policy' : 'as it was answered then';
  if (requests === 0)
    return totals.bad_records > 0 ? 'No request could be read.' : 'There is no request in what was given.';
  if (flips === 0) return `None of ${count(requests, 'request')} would be decided otherwise than ${than}.`;
  return `${flips.toLocaleString('en')} of ${count(requests, 'request')} would be decided otherwise than ${than}.`;
}

/** What the records do not tell, and what follows from that. */
export function findGaps({ totals, missing, baseline }: ReplayReport): readonly string[] {
  const gaps = missing.map(
    ({ what, engine, requests }) =>
      `${engine} asks for ${what}, which ${count(requests, 'record')} ${requests === 1 ? 'does' : 'do'} not carry.`,
  );
  if (totals.undetermined > 0) {
    const kept = baseline.kind === 'recorded' ? ', or as blocked still where the record says so' : '';
    gaps.push(
      `${count(totals.undetermined, 'verdict')} ${totals.undetermined === 1 ? 'depends' : 'depend'} on that: counted as allowed by that engine${kept}.`,
    );
  }
  if (totals.without_status > 0)
    gaps.push(`${count(totals.without_status, 'record')} without a status: counted as allowed then.`);
  if (totals.without_time > 0)
    gaps.push(`${count(totals.without_time, 'record')} without a time: rate limits cannot be judged by them.`);
  if (totals.out_of_order > 0) gaps.push(`${count(totals.out_of_order, 'record')} came too late to be put in order.`);
  if (totals.bad_records > 0) gaps.push(`${count(totals.bad_records, 'line')} could not be read.`);
  return gaps;
}

/** Groups in which something changes, most first. */
export function changedGroups(groups: readonly Group[]): readonly Group[] {
  return groups.filter((group) => FLIPS.some((flip) => group[flip] > 0));
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
