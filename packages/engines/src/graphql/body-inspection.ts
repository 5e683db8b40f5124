import type { Budget } from '../budget.ts';
import type { DocumentJudge } from './document-judge.ts';

/** What the documents of one request are held to. */
export interface BodyInspection {
  readonly judge: DocumentJudge;
  /** Documents of one batch; 0 for any number. */
  readonly maxBatch: number;
  readonly budget: Budget;
}
