import { Button, Skeleton, Stack } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Empty, Page, Problem } from '../ui/index.ts';

export function PageWaiting() {
  return (
    <Stack p="lg" gap="md" aria-busy="true">
      <Skeleton height={26} width={220} />
      <Skeleton height={200} />
    </Stack>
  );
}

/** A page that threw: mostly a newer build whose parts have other names. The rest of the screen goes on. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Page title="This page failed">
      <Problem
        error={error}
        what="This page could not be shown"
        still="Other pages work."
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
      <div>
        <Button variant="default" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </div>
    </Page>
  );
}

export function PageMissing() {
  return (
    <Page title="Nothing here">
      <Empty title="There is no such page" action={<Link to="/">Go to the start</Link>}>
        The link may be old, or what it showed was deleted or is in another project.
      </Empty>
    </Page>
  );
}
