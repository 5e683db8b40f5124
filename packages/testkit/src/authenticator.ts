import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Instructions for an authenticator, including errors to make. */
export interface PasskeyOrder {
  /** The challenge, as in the server's options. */
  readonly challenge: string;
  /** Origin of the requesting page. */
  readonly origin: string;
  /** False: the user was present but not verified. */
  readonly isUnlocked?: boolean;
  /** Overrides the next signature count. */
  readonly signCount?: number;
}

/** Flags of authenticator data (WebAuthn level 3, section 6.1). */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

/** A device with one passkey (ES256, no attestation), with a browser's messages, for tests of the server. */
export class TestAuthenticator {
  readonly #rpId: string;
  readonly #credentialId = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #coseKey: Buffer;
  #userHandle: string | undefined;
  #signCount = 0;

  constructor(rpId: string) {
    this.#rpId = rpId;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#coseKey = encodeKey(publicKey);
  }

  /** RegistrationResponseJSON for a server's options. */
  register(order: PasskeyOrder & { userHandle: string }) {
    this.#userHandle = order.userHandle;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#credentialId.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#credentialId, this.#coseKey]);
    const authData = Buffer.concat([this.#data(order, HAS_CREDENTIAL), credential]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      ...[encodeText('fmt'), encodeText('none'), encodeText('attStmt'), Buffer.from([0xa0])],
      ...[encodeText('authData'), encodeBytes(authData)],
    ]);
    return this.#answer({
      clientDataJSON: toText(describeClient('webauthn.create', order)),
      attestationObject: toText(attestationObject),
      transports: ['internal'],
    });
  }

  /** AuthenticationResponseJSON. */
  answer(order: PasskeyOrder) {
    const clientData = describeClient('webauthn.get', order);
    const authData = this.#data(order, 0);
    const clientHash = createHash('sha256').update(clientData).digest();
    return this.#answer({
      clientDataJSON: toText(clientData),
      authenticatorData: toText(authData),
      signature: toText(sign('sha256', Buffer.concat([authData, clientHash]), this.#privateKey)),
      ...(this.#userHandle !== undefined && { userHandle: this.#userHandle }),
    });
  }

  #answer<T>(response: T) {
    const id = toText(this.#credentialId);
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {}, response };
  }

  #data({ isUnlocked = true, signCount }: PasskeyOrder, flags: number): Buffer {
    this.#signCount = signCount ?? this.#signCount + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#signCount);
    const all = Buffer.from([flags | PRESENT | (isUnlocked ? VERIFIED : 0)]);
    return Buffer.concat([createHash('sha256').update(this.#rpId).digest(), all, count]);
  }
}

function describeClient(type: string, { challenge, origin }: PasskeyOrder): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** COSE_Key of P-256 (RFC 9053 section 7.1.1): kty EC2, alg ES256, the curve, x and y. */
function encodeKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const of = (text: string) => encodeBytes(Buffer.from(text, 'base64url'));
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21]), of(x), Buffer.from([0x22]), of(y)]);
}

/** CBOR (RFC 8949): a short text; up to 65,535 bytes. */
function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function encodeBytes(bytes: Buffer): Buffer {
  const { length } = bytes;
  return Buffer.concat([Buffer.from(length < 256 ? [0x58, length] : [0x59, length >> 8, length & 0xff]), bytes]);
}

function toText(bytes: Buffer): string {
  return bytes.toString('base64url');
}
