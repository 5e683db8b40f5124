import { guardChange } from '../network/guard.ts';

/** Runs the guard of a change, as `flotilla network-guard` does. Arguments: DATA_DIR ID. */
const [dataDir = '', id = ''] = process.argv.slice(2);
await guardChange(dataDir, id);
