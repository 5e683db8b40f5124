import type { HaPair } from '@flotilla/contract';
import { State } from '../../ui/index.ts';
import { QUIET, ROLE_LOOKS, STATUS_LOOKS } from './looks.ts';
import type { MemberView } from './model.ts';
import { texts } from './texts.ts';

type StatusFields = Pick<HaPair, 'status' | 'status_reason' | 'missing'>;

export function PairState({ pair }: { pair: StatusFields }) {
  return <State word={texts.status[pair.status]} {...STATUS_LOOKS[pair.status]} why={texts.page.why(pair)} />;
}

/** The role that the member reports. An old report says only what it was. */
export function RoleState({ member: { report, isFresh } }: { member: MemberView }) {
  if (!report) return <State word={texts.noReport} {...QUIET} />;
  if (!isFresh) return <State word={texts.lastRole(texts.roles[report.role])} {...QUIET} why={texts.member.old} />;
  return <State word={texts.roles[report.role]} {...ROLE_LOOKS[report.role]} why={texts.reason(report.reason)} />;
}
