import type { BuildOptions } from 'esbuild';

/** How a program is bundled, for esbuild; tests and measurements bundle theirs the same way. */
export declare const PROGRAM_OPTIONS: BuildOptions;
