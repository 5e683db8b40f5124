export { HeadsFile } from './chain/heads-file.ts';
export { createRetentionJob } from './chain/retention.ts';
export { Sealer } from './chain/sealer.ts';
export { openHeadSigner, readTrustedKeys } from './chain/signer.ts';
export { createKeepingRoutes } from './keeping-routes.ts';
export { createAuditRoutes } from './routes.ts';
export { Forwarding } from './sinks/forwarding.ts';
