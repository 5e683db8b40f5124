import { capabilityRoutes, mayCall } from '@flotilla/contract';
import { isSystemOwner } from './guard.ts';
import { implement, type Route } from './route.ts';

/** `all` is read with each request, so it may include the routes created here. */
export function createCapabilityRoutes(all: readonly Route[]): Route[] {
  return [
    implement(capabilityRoutes.get, ({ actor, scope }) => {
      const token = actor.kind === 'token' ? { families: actor.families } : undefined;
      const rights = { role: scope?.role, isSystemOwner: isSystemOwner(actor), token };
      return Promise.resolve({
        body: {
          project: scope?.id ?? null,
          role: scope?.role ?? null,
          resource_access: scope?.reader === undefined ? 'open' : 'listed',
          families: token?.families ?? null,
          routes: all.flatMap(({ contract }) => (mayCall(contract, rights) ? [contract.id] : [])),
        },
      });
    }),
  ];
}
