import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ApiError, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { useUrlState } from '../../app/url-state.ts';
import { Empty, Page, Problem } from '../../ui/index.ts';
import { useHasNoClient } from './publish-choices.tsx';
import { PublishDone } from './publish-done.tsx';
import { PublishForm } from './publish-form.tsx';
import { PublishReview } from './publish-review.tsx';
import { texts } from './texts.tsx';
import { usePublish } from './use-publish.ts';

const text = texts.page;

export function PublishPage() {
  const project = useProject();
  const can = useCan();
  const hasNoClient = useHasNoClient();
  const services = (
    <Link key="services" to="/p/$project/services" params={{ project: project.name }}>
      {text.services}
    </Link>
  );
  return (
    <Page title={text.title} trail={[services]} lead={text.lead}>
      {!can(routes.publish.publish) ? (
        <Empty title={text.notAllowed}>{text.whomToAsk}</Empty>
      ) : hasNoClient ? (
        <Empty title={text.noClient} action={can(routes.enrolment.createToken) && <EnrolButton />}>
          {text.noClientText}
        </Empty>
      ) : (
        <Publish />
      )}
    </Page>
  );
}

function EnrolButton() {
  const project = useProject();
  const target = { to: '/p/$project/clients', params: { project: project.name }, search: { enrol: 'new' } } as object;
  return (
    <Button component={Link} {...target}>
      {text.enrol}
    </Button>
  );
}

/** The form, the review (`?step=review`) and the progress. */
function Publish() {
  const publishing = usePublish();
  const url = useUrlState();
  const { plan, published, problem } = publishing;
  if (published) return <PublishDone {...published} onAnother={publishing.restart} />;
  const isReviewing = url.get('step') === 'review' && plan !== undefined;
  const review = async () => {
    const isReady = await publishing.review();
    if (isReady) url.set({ step: 'review' }, 'push');
    return isReady;
  };
  return (
    <>
      {isReviewing ? (
        <PublishReview
          plan={plan.result}
          records={plan.records}
          isBusy={publishing.isBusy}
          onPublish={() => void publishing.publish().then((isDone) => isDone && url.set({ step: undefined }))}
          onBack={() => url.set({ step: undefined })}
        />
      ) : (
        <PublishForm publishing={publishing} onReview={review} />
      )}
      {problem !== undefined && (
        <Problem
          error={problem}
          what={problem instanceof ApiError ? text.failed : text.unknownOutcome}
          still={text.kept}
        />
      )}
    </>
  );
}
