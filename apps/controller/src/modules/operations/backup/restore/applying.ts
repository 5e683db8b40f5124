import type { RestoreChoice, RestoreResult, RestoreSummary } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { AppError } from '@flotilla/kit';
import type { RequestContext } from '../../../../platform/http/context.ts';
import type { DocumentServiceDeps, PolicyDeps } from '../../../configuration/public.ts';
import type { ServiceRegistry } from '../../../fleet/public.ts';
import type { Bundle } from '../bundle/read.ts';

export interface ApplyDeps {
  readonly documents: DocumentServiceDeps;
  readonly policies: PolicyDeps;
  readonly services: Pick<ServiceRegistry, 'create' | 'replace'>;
}

export interface ApplyOrder {
  readonly bundle: Bundle;
  /** Applies to every record that already exists. */
  readonly onConflict: RestoreChoice;
}

export interface Applied {
  readonly summary: RestoreSummary;
  /** If not empty, the caller rolls everything back. */
  readonly refusals: readonly AppError[];
}

export interface Applying extends ApplyOrder {
  readonly deps: ApplyDeps;
  /** Writes through it join the transaction of the restore. */
  readonly ctx: RequestContext;
  readonly tx: Tx;
  readonly results: RestoreResult[];
  readonly refusals: AppError[];
}

export const EXISTS = 'it already exists';
