import { serveOwner } from '@flotilla/kit';
import { runReading } from './readings.ts';

// The entry of the process that `policy-reader.ts` starts. What it throws its owner hears of.
serveOwner(runReading);
