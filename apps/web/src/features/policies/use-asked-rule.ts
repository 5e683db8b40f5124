import { useEffect, useEffectEvent } from 'react';
import { useUrlState } from '../../app/url-state.ts';
import { findRule } from './structure/find-rule.ts';
import { readStructure } from './structure/structure.ts';

/** URL parameters of a decision, which are removed once the rule is found. */
export const DECISION = { digest: undefined, decided_by: undefined, decided_at: undefined };

/** Resolves a link from a verdict (`PolicyLink`) to the line of its rule. `isOfText`: whether this text decided. */
export function useAskedRule(text: string, isOfText: boolean): void {
  const url = useUrlState();
  const engine = url.get('engine');
  const follow = useEffectEvent((name: string) => {
    const reading = readStructure(text);
    const rule = { host: url.get('host') ?? '', route: url.get('route') ?? '', engine: name };
    const found = reading.ok ? findRule(reading.structure, rule) : undefined;
    const asked = { host: undefined, route: undefined, engine: undefined };
    url.set({ ...asked, ...DECISION, line: found?.line.toString(), at: found?.place });
  });
  useEffect(() => {
    if (engine !== undefined && isOfText) follow(engine);
  }, [engine, isOfText]);
}
