import type { Budget } from '../budget.ts';
import type { DocumentJudge } from './document-judge.ts';

/** The limits for the documents of one request. */
export interface BodyInspection {
  readonly judge: DocumentJudge;
  /** Documents per batch; 0 for any number. */
  readonly maxBatch: number;
  readonly budget: Budget;
}
