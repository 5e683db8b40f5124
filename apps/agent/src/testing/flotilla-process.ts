import { runLogWriter } from '../log-forwarding/writer/log-writer.ts';

/** Runs the writer of documents, as `flotilla log-writer` does. Arguments: log-writer SETTINGS. */
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const { stdin, stdout } = process;
process.exitCode = await runLogWriter(process.argv[3] ?? '', { stdin, stdout, signal: stopping.signal });
