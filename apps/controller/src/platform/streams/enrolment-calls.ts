import { create } from '@bufbuild/protobuf';
import { failEnrolment } from '@flotilla/contract';
import { AppError, type Clock, type Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { handleUnaryCall, ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { type Admission, type CallFacts, toOrigin } from './admission.ts';
import type { AuthorityCertificate, EnrolmentPort } from './enrolment-port.ts';
import type { RateWindow } from './rate-window.ts';
import { toStatus } from './status.ts';

export interface EnrolmentCallsOptions {
  readonly admission: Admission;
  readonly authority: AuthorityCertificate;
  readonly enrolment: EnrolmentPort;
  /** Per address: a token cannot be guessed, but each attempt costs a database query. */
  readonly rate: RateWindow;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** flotilla.fleet.v1.EnrolmentService over grpc-js. */
export function createEnrolmentCalls(options: EnrolmentCallsOptions) {
  const { admission, authority, enrolment, rate, clock, logger } = options;

  const enrol = async (call: CallFacts, request: fleet.EnrolRequest): Promise<fleet.EnrolResponse> => {
    const { csrDer, token, facts = create(fleet.HostFactsSchema) } = request;
    const origin = toOrigin(call);
    try {
      if (!rate.take(origin.ip)) throw failEnrolment('enrolment.too_many');
      const enrolled = await enrolment.enrol({ token, csrDer, facts }, origin, new Date(clock.now()));
      logger.info({ client_id: enrolled.clientId, name: facts.name }, 'client.enrolled');
      return create(fleet.EnrolResponseSchema, { ...enrolled, caDer: authority.certificateDer });
    } catch (error) {
      const changes = { name: facts.name.slice(0, 128), hostname: facts.hostname.slice(0, 128) };
      if (error instanceof AppError) await admission.refuse(call, { action: 'client.enrol', error, changes });
      throw error;
    }
  };

  const renew = async (call: CallFacts, { csrDer }: fleet.RenewRequest): Promise<fleet.RenewResponse> => {
    const claim = await admission.admit(call, { action: 'client.renew', lateRenewal: true });
    const certificateDer = await enrolment.renew(claim, csrDer, toOrigin(call), new Date(clock.now()));
    return create(fleet.RenewResponseSchema, { certificateDer });
  };

  return {
    enrol: answer(enrol, logger),
    renew: answer(renew, logger),
  };
}

function answer<Request, Response>(
  handler: (call: CallFacts, request: Request) => Promise<Response>,
  logger: Logger,
): handleUnaryCall<Request, Response> {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) => {
    const facts = { address: call.getPeer(), metadata: call.metadata, path: call.getPath() };
    handler(facts, call.request).then(
      (response) => callback(null, response),
      (error: unknown) => {
        if (!(error instanceof AppError)) logger.error({ err: error, path: facts.path }, 'call.failed');
        callback(toStatus(error));
      },
    );
  };
}
