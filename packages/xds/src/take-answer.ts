import type { StreamObserver } from './resource-source.ts';
import type { Subscription } from './subscription.ts';

interface Answer {
  readonly responseNonce: string;
  readonly errorDetail?: { readonly message: string } | undefined;
}

/** Records the client's answer to a response, and notifies the observer. */
export function takeAnswer(
  subscription: Subscription,
  { responseNonce, errorDetail }: Answer,
  observer: StreamObserver | undefined,
): void {
  if (errorDetail) {
    const refused = subscription.refuse(responseNonce, errorDetail.message);
    if (refused) observer?.refused?.(refused, errorDetail.message);
    return;
  }
  const acknowledged = subscription.acknowledge(responseNonce);
  if (acknowledged) observer?.acknowledged?.(acknowledged);
}
