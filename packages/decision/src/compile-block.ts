import type { CompiledEngine } from '@flotilla/engines';
import type { EngineBlock } from '@flotilla/policy';

/**
 * `limiterId` identifies an existing limiter to share: one that another thread created for the same block, or the same
 * limiter with a different share of the limit.
 */
export type CompileBlock = (block: EngineBlock, limiterId?: number) => CompiledEngine;
