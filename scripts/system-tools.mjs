// Programs of the operating system that the tests check our work with. No package registry of Node carries them.
import { spawnSync } from 'node:child_process';

/** Program -> Debian package. */
const TOOLS = { 'systemd-analyze': 'systemd', setpriv: 'util-linux', slapd: 'slapd' };

/** Installs what is missing where that is possible; else says what to install. The tests that need it fail without. */
export function ensureSystemTools() {
  const missing = Object.keys(TOOLS).filter((tool) => !isThere(tool, ['--version']));
  if (missing.length === 0) return;
  const packages = missing.map((tool) => TOOLS[tool]).join(' ');
  if (process.getuid?.() === 0 && isThere('apt-get', ['--version'])) {
    console.error(`Installing ${packages} for the tests ...`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('sh', ['-c', `apt-get update -qq && apt-get install -y -qq --no-install-recommends ${packages}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
  }
  const still = missing.filter((tool) => !isThere(tool, ['--version']));
  if (still.length > 0)
    console.error(`The tests use ${still.join(' and ')}: install ${packages} with your package manager.`);
}

function isThere(program, args) {
  return spawnSync(program, args, { stdio: 'ignore' }).error === undefined;
}
