import { launch } from './launch.mjs';

await launch(['up', ...process.argv.slice(2)]);
