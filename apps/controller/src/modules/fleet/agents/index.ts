export { FleetChanges } from './changes.ts';
export { type ContentProblem, DesiredStates, type NodeContents } from './desired-state.ts';
export type { PairsPort } from './pairs-port.ts';
export { raiseDesired } from './raise-desired.ts';
export { AgentReports } from './reports.ts';
export { AgentSession, AgentSessions } from './sessions.ts';
