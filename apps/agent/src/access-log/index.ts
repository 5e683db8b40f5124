export { AccessLogs, type AccessLogsOptions } from './access-logs.ts';
