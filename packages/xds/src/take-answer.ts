import type { SentBatch, StreamObserver } from './resource-source.ts';

interface Answer {
  readonly responseNonce: string;
  readonly errorDetail?: { readonly message: string } | undefined;
}

/** The unanswered responses of one type. Both give the batch of a response, or undefined for a nonce that is not waited for. */
interface Answered {
  acknowledge(nonce: string): SentBatch | undefined;
  refuse(nonce: string, reason: string): SentBatch | undefined;
}

/** Books the client's answer to a response, and tells the observer. */
export function takeAnswer(
  subscription: Answered,
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
