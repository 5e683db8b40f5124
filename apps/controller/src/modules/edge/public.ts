export { listPairedServices, type PairedService } from './ha/index.ts';
