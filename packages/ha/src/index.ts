export { configFileSchema, type HaConfig, HEARTBEAT_PORT } from './config-file.ts';
export {
  DATAGRAM_BYTES,
  type Datagram,
  decodeDatagram,
  type Echo,
  encodeDatagram,
  type Key,
  type Message,
  type Place,
  PROTOCOL_VERSION,
  type Rejection,
} from './datagram.ts';
export { describeSelf, Machine, reconfigure, startMember } from './machine.ts';
export type {
  Effect,
  Event,
  Heartbeat,
  MemberConfig,
  MemberState,
  Order,
  Reason,
  Refusal,
  Role,
  Step,
  Timing,
} from './model.ts';
export { type Accepted, acceptDatagram, NOTHING_ACCEPTED } from './replay-guard.ts';
export {
  type Alarm,
  createEmptyReport,
  type MemberReport,
  type RoleChange,
  reportSchema,
  type Term,
} from './report.ts';
export { isSuspended, RULES, type Rules } from './rules.ts';
