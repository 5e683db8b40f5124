export const texts = {
  constraint: {
    required: 'Required',
    enumOf: (type: string | number) => `enum ${type}`,
    listOf: (type: string | number) => `list of ${type}`,
    mapOf: (keyType: string | number, type: string | number) => `map of ${keyType} to ${type}`,
  },
  hover: {
    hoverAt: {
      typeName: '@type',
    },
    describeField: {
      oneWay: (group: string | number) => `One of the options for ${group}`,
      namesStored: (collection: string | number) => `Refers to one of the stored ${collection}`,
      private: 'Private: stored, never shown again',
      values: (listNames: string | number) => `Values: ${listNames}`,
    },
    deprecation: {
      since: (deprecatedSince: string | number) => ` since ${deprecatedSince}`,
      refused: ', refused by Envoy',
    },
    listNames: {
      andMore: (names: string | number, rest: string | number) => `${names} and ${rest} more`,
    },
  },
  lint: {
    typeUrl: 'must be "type.googleapis.com/" and the full name of a message',
    list: (node: string | number) => `must be a list, not ${node}`,
    object: (node: string | number) => `must be an object, not ${node}`,
    key: (message: string | number) => `the key ${message}`,
    message: (type: string | number, node: string | number) => `must be an object (${type}), not ${node}`,
    typeMissing: '"@type" is missing. It sets the message type',
    unknownMessage: (type: string | number) => `this Envoy version has no message ${type}`,
    anyValueOnly: 'is not allowed in an Any, which can only have "value"',
    unknownField: (shortName: string | number, field: string | number, hint: string | number) =>
      `${shortName} has no field ${field}${hint}`,
    setTwice: (name: string | number) => `${name} is set twice, in snake_case and in camelCase`,
    excludes: (name: string | number) => `cannot be combined with ${name}`,
    disallowed: 'is deprecated, and Envoy refuses it',
    deprecated: (since: string | number) => `is deprecated${since}`,
    required: (name: string | number) => `${name} is required`,
    oneRequired: (names: string | number) => `must have one of ${names}`,
  },
};
