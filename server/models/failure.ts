/** How the installation of a model fails. */
import { ServiceError } from '../../shared/errors.ts';

/** A model could not be installed or removed; the message says what to do. */
export function modelFailure(message: string, cause?: unknown): ServiceError {
  return new ServiceError('model_not_installed', message, cause === undefined ? {} : { cause });
}

/** Whether a failure is of the disk: full, or not to be written. */
export function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EACCES' || code === 'EROFS';
}

/** What to say and do about a disk that a model in `folder` cannot be written to. */
export function diskFailure(error: NodeJS.ErrnoException, folder: string): ServiceError {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return modelFailure(
    isFull
      ? `There is no room left for the model in ${folder}. Make room, or set MODELS_DIR to a folder on another disk, and install it again.`
      : `${folder} cannot be written (${error.code ?? ''}). Let this user write there, or set MODELS_DIR to another folder, and install it again.`,
    error,
  );
}

/** What fetch throws says little; its cause says what happened. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message || (code ?? 'unknown error');
}
