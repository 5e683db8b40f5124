export { createContentKey, type Protection } from './keys.ts';
export { FORMAT, fingerprintOf, type Header, type Manifest } from './layout.ts';
export { type ReadBackup, type ReadOrder, readBackup, readHeader } from './read.ts';
export { type Section, writeBackup } from './write.ts';
