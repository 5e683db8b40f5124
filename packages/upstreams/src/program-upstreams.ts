import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@flotilla/kit/testing';
import { ChildProgram, runProgram } from './child-program.ts';
import { HttpClient } from './http-client.ts';
import type { Reading, SentRequest, Upstream } from './reading.ts';

const PROGRAMS = fileURLToPath(new URL('./programs', import.meta.url));
const JARS = '/usr/share/java';
const TOMCAT_JARS = [
  'catalina',
  'coyote',
  'juli',
  'api',
  'util',
  'util-scan',
  'annotations-api',
  'servlet-api',
  'jsp-api',
  'el-api',
  'jaspic-api',
  'jni',
];
const COMPILER_JAR = `${JARS}/eclipse-jdt-core.jar`;

/** `$_GET`, `$_POST` and `$_REQUEST` of PHP, and how graphql-php reads them, in PHP's own server. */
export async function startPhp(): Promise<Upstream> {
  const port = await findFreePort();
  const script = join(PROGRAMS, 'reader.php');
  const args = ['-d', 'display_errors=0', '-d', 'log_errors=0', '-S', `127.0.0.1:${port}`, script];
  const program = new ChildProgram({ command: 'php', args, install: 'php-cli' });
  // The server reports only on standard error that it listens.
  const client = new HttpClient(port);
  await Promise.race([answersSoon(client), program.readLine()]);
  return overHttp('PHP', client, () => program.close());
}

/** `Rack::Request` and `Rack::MethodOverride`. */
export async function startRack(): Promise<Upstream> {
  const args = [join(PROGRAMS, 'reader.rb')];
  const program = new ChildProgram({ command: 'ruby', args, install: 'ruby and ruby-rack' });
  await program.readLine();
  return {
    name: 'Rack',
    async read({ method, target, type, body }) {
      program.write(`${JSON.stringify({ method, target, type, body: body.toString('base64') })}\n`);
      return parseReading(await program.readLine());
    },
    close: () => program.close(),
  };
}

/** `net/http` and `net/url` of Go. */
export async function startGo(): Promise<Upstream> {
  const folder = await mkdtemp(join(tmpdir(), 'go-reader-'));
  const install = 'golang-go, or Go 1.19 or newer';
  const env = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '', GOWORK: 'off' };
  const binary = join(folder, 'reader');
  await runProgram({ command: 'go', args: ['build', '-o', binary, '.'], folder: join(PROGRAMS, 'go'), env, install });
  const program = new ChildProgram({ command: binary, args: [], install });
  const client = new HttpClient(Number(await program.readLine()));
  return overHttp('Go', client, () => end(program, folder));
}

/** Request parameters in Tomcat, which Spring and others use. */
export async function startTomcat(): Promise<Upstream> {
  const install = 'default-jre-headless (17 or newer) and libtomcat10-java';
  const jars = TOMCAT_JARS.map((name) => `${JARS}/tomcat10-${name}.jar`);
  for (const jar of [...jars, COMPILER_JAR]) {
    await access(jar).catch((error) => {
      throw new Error(`${jar} is missing: install ${install}`, { cause: error });
    });
  }
  const folder = await mkdtemp(join(tmpdir(), 'tomcat-reader-'));
  const source = join(PROGRAMS, 'tomcat', 'Reader.java');
  const compiler = [
    '-cp',
    COMPILER_JAR,
    'org.eclipse.jdt.internal.compiler.batch.Main',
    '-17',
    '-nowarn',
    '-proc:none',
  ];
  await runProgram({ command: 'java', args: [...compiler, '-cp', jars.join(':'), '-d', folder, source], install });
  const program = new ChildProgram({
    command: 'java',
    args: ['-cp', [folder, ...jars].join(':'), 'Reader', folder],
    install,
  });
  const client = new HttpClient(Number(await program.readLine()));
  return overHttp('Tomcat', client, () => end(program, folder));
}

async function end(program: ChildProgram, folder: string): Promise<void> {
  await program.close();
  await rm(folder, { recursive: true, force: true });
}

function overHttp(name: string, client: HttpClient, close: () => Promise<void>): Upstream {
  return {
    name,
    async read(request: SentRequest) {
      return parseReading((await client.send(request)).toString());
    },
    async close() {
      client.close();
      await close();
    },
  };
}

/** Parses a program's response; a refusal of the server in front of it (400) is not JSON. */
function parseReading(text: string): Reading {
  if (!text.startsWith('{')) return { documents: [], methods: [] };
  const { documents, methods } = JSON.parse(text) as { readonly documents: string[]; readonly methods: string[] };
  return {
    documents: documents.map((encoded) => Buffer.from(encoded, 'base64')),
    methods: methods.map((encoded) => Buffer.from(encoded, 'base64').toString('latin1')),
  };
}

const ATTEMPTS_MAX = 200;

async function answersSoon(client: HttpClient): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await client.send({ method: 'GET', target: '/', type: undefined, body: Buffer.alloc(0) });
      return;
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
