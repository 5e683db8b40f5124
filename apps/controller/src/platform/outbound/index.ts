export { type AddressGuard, createAddressGuard, RefusedAddress, requireHost, requireLiteral } from './address.ts';
export { chooseChannels, type DueChannel, retryAfterMs, toInFlight } from './lanes.ts';
export { post, signBody } from './post.ts';
export { type OutboundAnswer, type OutboundRequest, sendRequest } from './request.ts';
export { cleanText, formatElement, formatSyslog, type SyslogHeader } from './syslog-message.ts';
export { SYSLOG_CLOSE_WAIT_MS, type SyslogReceiver, sendSyslogStream } from './syslog-stream.ts';
