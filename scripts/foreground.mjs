/** Ends as the child ends, and passes on what would otherwise reach this process alone. */
export function follow(child) {
  // A terminal sends Ctrl-C to both of us: the child decides when to end. A signal to this process alone is passed on.
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}
