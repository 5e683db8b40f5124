import { Argument, type Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { RECORD_KINDS } from '../records.ts';
import { type CommonOptions, withJson, withProject } from './scope-options.ts';

/** Options of commands for one document, policy or service. */
export interface RecordOptions extends CommonOptions {
  readonly version?: string;
  readonly revision?: number;
}

export function withRecord(command: Command): Command {
  return withJson(withProject(command))
    .addArgument(new Argument('<collection>').choices([...RECORD_KINDS]))
    .argument('<name>')
    .option('--version <version>', 'Envoy version of the document');
}

export function parseRevision(text: string): number {
  const revision = Number(text);
  if (!Number.isInteger(revision) || revision < 1)
    throw new CliFailure(EXIT.usage, `"${text}" is not a revision, such as 1, 2, 3`);
  return revision;
}
