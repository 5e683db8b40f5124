import { texts } from './texts.tsx';

const text = texts.userAgent;
const BROWSERS = [
  [text.browsers.edge, /\bEdgA?\/(\d+)/],
  [text.browsers.opera, /\bOPR\/(\d+)/],
  [text.browsers.firefox, /\bFirefox\/(\d+)/],
  [text.browsers.chrome, /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  [text.browsers.safari, /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
  ['curl', /^curl\/(\d+)/],
] as const;

const SYSTEMS = [
  [text.systems.windows, /\bWindows\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  [text.systems.android, /\bAndroid\b/],
  ['macOS', /\bMac OS X\b/],
  [text.systems.linux, /\bLinux\b/],
] as const;

/** Returns `Firefox 128 on Linux`; an unknown user agent is returned unchanged. */
export function nameAgent(agent: string | null): string {
  if (!agent) return text.nameAgent.unknown;
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(agent)?.[1];
    if (version !== undefined) return system ? `${name} ${version} on ${system}` : `${name} ${version}`;
  }
  return agent;
}
