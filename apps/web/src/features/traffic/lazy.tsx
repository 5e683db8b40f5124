import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import type * as names from './name-traffic.tsx';
import type * as services from './service-traffic.tsx';

const Overview = lazy(async () => ({ default: (await import('./overview-traffic.tsx')).OverviewTraffic }));
const Service = lazy(async () => ({ default: (await import('./service-traffic.tsx')).ServiceTraffic }));
const Name = lazy(async () => ({ default: (await import('./name-traffic.tsx')).NameTraffic }));

const WAITING = <Skeleton height={560} aria-busy="true" />;

export function OverviewTraffic() {
  return (
    <Suspense fallback={WAITING}>
      <Overview />
    </Suspense>
  );
}

export function ServiceTraffic(props: ComponentProps<typeof services.ServiceTraffic>) {
  return (
    <Suspense fallback={WAITING}>
      <Service {...props} />
    </Suspense>
  );
}

export function NameTraffic(props: ComponentProps<typeof names.NameTraffic>) {
  return (
    <Suspense fallback={WAITING}>
      <Name {...props} />
    </Suspense>
  );
}
