const BROWSERS = [
  ['Edge', /\bEdgA?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\bFirefox\/(\d+)/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
  ['curl', /^curl\/(\d+)/],
] as const;

const SYSTEMS = [
  ['Windows', /\bWindows\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const;

/** `Firefox 128 on Linux`; what is not known is shown as it was sent. */
export function nameAgent(agent: string | null): string {
  if (!agent) return 'Unknown program';
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(agent)?.[1];
    if (version !== undefined) return system ? `${name} ${version} on ${system}` : `${name} ${version}`;
  }
  return agent;
}
