import {
  API_DIFFERENCE_KINDS,
  type ApiCoverageKind,
  apiDocumentReportRoutes,
  type CallInput,
  type CallOutput,
} from '@flotilla/contract';
import { EXIT } from '../../exit-codes.ts';
import { openGivenFile } from '../../given-file.ts';
import { act, type Verb } from '../../nouns/verb.ts';
import { renderTable } from '../../output.ts';
import { FILE } from '../inputs.ts';
import { DIFFERENCES, describeScope } from './columns.ts';
import { DAYS, KIND, SCOPE } from './inputs.ts';

const SHOWN_MAX = 200;
type Checked = CallOutput<typeof apiDocumentReportRoutes.check>;

/** For pipelines: fails if the document and the traffic differ in one of the chosen kinds. */
export function createCheckCommand(): Verb {
  return act(
    {
      help: 'compare a file with the traffic without importing it; exits with 10 if they differ',
      route: apiDocumentReportRoutes.check,
      inputs: [FILE, KIND, DAYS, ...SCOPE],
    },
    async ({ reach: { connection }, request }, { file }: { file: string }) => {
      const query = request.query as NonNullable<CallInput<typeof apiDocumentReportRoutes.check>['query']>;
      const { body } = await connection.call(apiDocumentReportRoutes.check, {
        query: { ...query, limit: SHOWN_MAX },
        file: await openGivenFile(file),
      });
      const kinds = ([query.kind].flat() as (ApiCoverageKind | undefined)[]).filter((kind) => kind !== undefined);
      const differs = body.items.length > 0;
      return {
        json: body,
        text: describeCheck(body, kinds.length > 0 ? kinds : API_DIFFERENCE_KINDS),
        exit: differs ? EXIT.differs : EXIT.ok,
        note: describeNote(body),
      };
    },
  );
}

function describeCheck(body: Checked, kinds: readonly ApiCoverageKind[]): string {
  const counts = kinds.map((kind) => `${kind}: ${body.counts[kind]}`).join(', ');
  const head = `${body.operation_count} operations in the last ${body.days} days; ${counts}`;
  return body.items.length === 0 ? head : `${head}\n\n${renderTable(DIFFERENCES, body.items)}`;
}

function describeNote({ scope, warnings, restricted, omitted }: Checked): string {
  return [
    `Scope: ${describeScope(scope)}`,
    ...warnings.map(({ field, message }) => `Warning: ${field === '' ? '' : `${field}: `}${message}`),
    ...(omitted > 0 ? [`${omitted} more differ.`] : []),
    ...(restricted ? ['You do not see all services of the project, so unused operations are not reported.'] : []),
  ].join('\n');
}
