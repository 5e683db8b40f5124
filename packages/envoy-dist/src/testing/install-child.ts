import { createEnvoyDist } from '../dist.ts';

/** A separate installing process: `install-child <cacheDir> <releasesUrl> <version>`; prints the outcome as JSON. */
const [, , cacheDir = '', releasesUrl = '', version = ''] = process.argv;
const dist = createEnvoyDist({
  cacheDir,
  releasesUrl,
  env: { PATH: '/usr/bin:/bin' },
  machine: 'linux-x64',
  python: '/nonexistent/python3',
  onProgress: (progress) => process.stderr.write(`${progress.step}\n`),
});
process.stdout.write(JSON.stringify(await dist.install(version)));
