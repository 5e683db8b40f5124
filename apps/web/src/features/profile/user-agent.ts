import { texts } from '../../texts/index.ts';

const text = texts.profile.userAgent;
const BROWSERS = [
  [text.browsers.factEdge, /\bEdgA?\/(\d+)/],
  [text.browsers.factOpera, /\bOPR\/(\d+)/],
  [text.browsers.factFirefox, /\bFirefox\/(\d+)/],
  [text.browsers.factChrome, /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  [text.browsers.factSafari, /\bVersion\/(\d+)[\d.]* (?:Mobile\/\S+ )?Safari\//],
  ['curl', /^curl\/(\d+)/],
] as const;

const SYSTEMS = [
  [text.systems.factWindows, /\bWindows\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  [text.systems.factAndroid, /\bAndroid\b/],
  ['macOS', /\bMac OS X\b/],
  [text.systems.factLinux, /\bLinux\b/],
] as const;

/** `Firefox 128 on Linux`; what is not known is shown as it was sent. */
export function nameAgent(agent: string | null): string {
  if (!agent) return text.nameAgent.textUnknownProgram;
  const system = SYSTEMS.find(([, pattern]) => pattern.test(agent))?.[0];
  for (const [name, pattern] of BROWSERS) {
    const version = pattern.exec(agent)?.[1];
    if (version !== undefined) return system ? `${name} ${version} on ${system}` : `${name} ${version}`;
  }
  return agent;
}
