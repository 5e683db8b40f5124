// Programs of the operating system that the tests check our work with. No package registry of Node carries them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Program -> Debian package. */
const TOOLS = {
  'systemd-analyze': 'systemd',
  setpriv: 'util-linux',
  slapd: 'slapd',
  go: 'golang-go',
  h2load: 'nghttp2-client',
  php: 'php-cli',
  ruby: 'ruby',
  java: 'default-jre-headless',
  promtool: 'prometheus',
  rsyslogd: 'rsyslog',
  ip: 'iproute2',
  netplan: 'netplan.io',
  arping: 'iputils-arping',
  ping: 'iputils-ping',
  socat: 'socat',
  tcpdump: 'tcpdump',
  faketime: 'faketime',
};

/** File -> Debian package: libraries of programs that are not ours. */
const LIBRARIES = {
  '/usr/share/gocode/src/google.golang.org/grpc/doc.go': 'golang-google-grpc-dev',
  '/usr/lib/python3/dist-packages/grpc/__init__.py': 'python3-grpcio',
  '/usr/share/java/tomcat10-catalina.jar': 'libtomcat10-java',
  '/lib/systemd/systemd-journal-remote': 'systemd-journal-remote',
  '/usr/lib/frr/bgpd': 'frr',
  '/var/lib/dpkg/info/rsyslog-gnutls.list': 'rsyslog-gnutls',
  '/var/lib/dpkg/info/ruby-rack.list': 'ruby-rack',
};

/** Installs what is missing where that is possible; else says what to install. The tests that need it fail without. */
export function ensureSystemTools() {
  const missing = findMissing();
  if (missing.length === 0) return;
  const packages = missing.join(' ');
  if (process.getuid?.() === 0 && isThere('apt-get', ['--version'])) {
    console.error(`Installing ${packages} for the tests ...`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('sh', ['-c', `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
  }
  const still = findMissing();
  if (still.length > 0) console.error(`The tests need ${still.join(', ')}: install them with your package manager.`);
}

/** Debian packages of what is not here. */
function findMissing() {
  return [
    ...Object.keys(TOOLS).flatMap((tool) => (isThere(tool, ['--version']) ? [] : [TOOLS[tool]])),
    ...Object.keys(LIBRARIES).flatMap((file) => (existsSync(file) ? [] : [LIBRARIES[file]])),
  ];
}

function isThere(program, args) {
  return spawnSync(program, args, { stdio: 'ignore' }).error === undefined;
}
