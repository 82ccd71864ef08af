/**
 * Schemas of routes are compiled when the first request needs them: all of them at the start would take
 * half a second of processor, and memory for routes that nobody asks.
 */
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { UUID } from '../../shared/uuid.ts';

const ajvOptions = { useDefaults: true, removeAdditional: false, strict: false } as const;
const strict = new Ajv({ ...ajvOptions, coerceTypes: false });
const lenient = new Ajv({ ...ajvOptions, coerceTypes: 'array' });
for (const ajv of [strict, lenient]) ajv.addFormat('uuid', UUID);

/** The validation of a body, which takes values as they are. */
export function compileStrictly(schema: AnySchema): ValidateFunction {
  return strict.compile(schema);
}

/** Installs the compilers on a server. */
export function compileSchemasOnFirstUse(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorOf);
  const compile = SerializerSelector()();
  app.setSerializerCompiler(({ httpStatus = '', ...route }) => {
    let serialize: ((data: unknown) => string) | undefined;
    return (data) => {
      serialize ??= compile({ ...route, httpStatus });
      return serialize(data);
    };
  });
}

/** JSON stays strict: coercion would turn `"text": "a"` into a list. All else comes as text. */
const validatorOf: FastifySchemaCompiler<AnySchema> = ({ schema, httpPart }) => {
  const ajv = httpPart === 'body' ? strict : lenient;
  let validate: ValidateFunction | undefined;
  const validator = (data: unknown): boolean => {
    validate ??= ajv.compile(schema);
    const isValid = validate(data);
    validator.errors = validate.errors ?? null;
    return isValid;
  };
  validator.errors = null as FastifySchemaValidationError[] | null;
  return validator;
};
