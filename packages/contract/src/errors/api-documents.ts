import { createFail } from './define.ts';

export const API_DOCUMENT_ERRORS = {
  'api_document.invalid': {
    status: 422,
    message: 'The file is not a usable OpenAPI or Swagger document: {reason}',
  },
  'api_document.too_many': {
    status: 422,
    message: 'The project has {max} API documents already. Delete one that is no longer needed.',
  },
  'api_document.too_many_operations': {
    status: 422,
    message:
      'The API documents of the project would have {count} operations together, and may have {max}. Delete documents or large old versions.',
  },
  'api_document.busy': {
    status: 503,
    message: 'Other API documents are being read. Try again in a moment.',
  },
  'api_document.too_heavy': {
    status: 422,
    message: 'Reading the file takes too much time or memory. Leave out examples and schemas, or send it as JSON.',
  },
  'api_owners.too_many': {
    status: 422,
    message: 'The project has values of its own for {max} operations already. Write a rule instead.',
  },
} as const;

export const failApiDocument = createFail(API_DOCUMENT_ERRORS);
