export { verifyZoneSignature } from './zone-signature.ts';
