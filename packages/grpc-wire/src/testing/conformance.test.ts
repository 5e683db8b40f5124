import { describeConformance } from './conformance.suite.ts';
import { startGrpcJsEcho, startWireEcho } from './echo-service.ts';

describeConformance('the wire', startWireEcho);
describeConformance('grpc-js, the oracle', startGrpcJsEcho);
