import { join } from 'node:path';

/** The folder of the WAF modules in the data folder of an agent. */
export function wafModuleDir(dataDir: string): string {
  return join(dataDir, 'waf');
}

/** Where configurations find a WAF module. */
export function wafModuleFile(dataDir: string, version: string): string {
  return join(wafModuleDir(dataDir), version, 'coraza.wasm');
}
