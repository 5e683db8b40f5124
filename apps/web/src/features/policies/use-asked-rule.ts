import { useEffect, useEffectEvent } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { findRule } from './structure/find-rule.ts';
import { readStructure } from './structure/structure.ts';

/** Who comes from a verdict asks for the rule that made it (`PolicyLink`): here it becomes the line where that is written. */
export function useAskedRule(text: string): void {
  const url = useUrlState();
  const engine = url.get('engine');
  const follow = useEffectEvent((name: string) => {
    const reading = readStructure(text);
    const rule = { host: url.get('host') ?? '', route: url.get('route') ?? '', engine: name };
    const found = reading.ok ? findRule(reading.structure, rule) : undefined;
    url.set({ host: undefined, route: undefined, engine: undefined, line: found?.line.toString(), at: found?.place });
  });
  useEffect(() => {
    if (engine !== undefined) follow(engine);
  }, [engine]);
}
