import type { ReplayReport } from '@flotilla/contract';
import { texts } from './texts.tsx';

const text = texts.replayWords;

type Group = ReplayReport['by_route']['groups'][number];
export type ReplayFlip = ReplayReport['samples'][number]['flip'];

export const FLIPS: readonly ReplayFlip[] = ['allow_to_block', 'block_to_allow', 'other_reason', 'detection_changed'];

const FLIP_WORDS: Readonly<Record<ReplayFlip, string>> = {
  allow_to_block: text.flipWords.allowToBlock,
  block_to_allow: text.flipWords.blockToAllow,
  other_reason: text.flipWords.otherReason,
  detection_changed: text.flipWords.detectionChanged,
};

export function flipWords(flip: ReplayFlip): string {
  return FLIP_WORDS[flip];
}

/** Returns the result in one sentence, with the baseline. */
export function headline({ totals, baseline }: ReplayReport): string {
  const { requests, flips } = totals;
  const than = baseline.kind === 'policy' ? text.headline.underStored : text.headline.answeredThen;
  if (requests === 0) return totals.bad_records > 0 ? text.headline.noneRead : text.headline.noneGiven;
  if (flips === 0) return text.headline.noFlips(count(requests, 'request'), than);
  return text.headline.flips(flips.toLocaleString('en'), count(requests, 'request'), than);
}

/** Returns the gaps of the records and their consequences. */
export function findGaps({ totals, missing, baseline }: ReplayReport): readonly string[] {
  const gaps = missing.map(({ what, engine, requests }) =>
    text.gaps.undetermined(engine, what, count(requests, 'record'), requests === 1 ? 'does' : 'do'),
  );
  if (totals.undetermined > 0) {
    const kept = baseline.kind === 'recorded' ? text.gaps.blockedStill : '';
    gaps.push(
      text.gaps.countedAllowed(
        count(totals.undetermined, 'verdict'),
        totals.undetermined === 1 ? 'depends' : 'depend',
        kept,
      ),
    );
  }
  if (totals.without_status > 0) gaps.push(text.gaps.withoutStatus(count(totals.without_status, 'record')));
  if (totals.without_time > 0) gaps.push(text.gaps.withoutTime(count(totals.without_time, 'record')));
  if (totals.out_of_order > 0) gaps.push(text.gaps.outOfOrder(count(totals.out_of_order, 'record')));
  if (totals.bad_records > 0) gaps.push(text.gaps.unreadable(count(totals.bad_records, 'line')));
  return gaps;
}

/** Returns the groups with changes, those with the most first. */
export function changedGroups(groups: readonly Group[]): readonly Group[] {
  return groups.filter((group) => FLIPS.some((flip) => group[flip] > 0));
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
