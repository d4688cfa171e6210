package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"ibid"
)

// Embeddings returns the stored vectors of a space for the named chunks.
func (db *DB) Embeddings(ctx context.Context, space string, chunkIDs []string) (map[string][]float32, error) {
	out := make(map[string][]float32, len(chunkIDs))
	for len(chunkIDs) > 0 {
		n := min(len(chunkIDs), 500)
		rows, err := db.readOnly.QueryContext(ctx, `SELECT chunk_id, vector FROM embeddings WHERE space = ? AND chunk_id IN (`+marks(n)+`)`,
			append([]any{space}, anys(chunkIDs[:n])...)...)
		if err != nil {
			return nil, translate(err)
		}
		_, err = collect(rows, func(r *sql.Rows) (struct{}, error) {
			var id string
			var raw []byte
			if err := r.Scan(&id, &raw); err != nil {
				return struct{}{}, err
			}
			v, err := decodeVector(raw)
			out[id] = v
			return struct{}{}, err
		})
		if err != nil {
			return nil, err
		}
		chunkIDs = chunkIDs[n:]
	}
	return out, nil
}

// PutEmbeddings stores vectors of a space. Chunks that were removed meanwhile
// are passed over.
func (db *DB) PutEmbeddings(ctx context.Context, space string, chunkIDs []string, vectors [][]float32) error {
	return db.write(ctx, func(q querier) error {
		for i, id := range chunkIDs {
			_, err := q.ExecContext(ctx, `INSERT INTO embeddings (space, chunk_id, vector)
				SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM chunks WHERE id = ?2)
				ON CONFLICT (space, chunk_id) DO UPDATE SET vector = excluded.vector`, space, id, encodeVector(vectors[i]))
			if err != nil {
				return fmt.Errorf("save the embedding of chunk %s: %w", id, err)
			}
		}
		return nil
	})
}

// AnyEmbedding returns a stored vector of a space; ok is false when there is none.
func (db *DB) AnyEmbedding(ctx context.Context, space string) (chunkID string, vector []float32, ok bool, err error) {
	var raw []byte
	err = db.readOnly.QueryRowContext(ctx, `SELECT chunk_id, vector FROM embeddings WHERE space = ? LIMIT 1`, space).Scan(&chunkID, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, false, nil
	}
	if err != nil {
		return "", nil, false, translate(err)
	}
	vector, err = decodeVector(raw)
	return chunkID, vector, err == nil, err
}

// DropEmbeddings forgets the stored vectors of a space.
func (db *DB) DropEmbeddings(ctx context.Context, space string) error {
	return db.write(ctx, func(q querier) error {
		_, err := q.ExecContext(ctx, `DELETE FROM embeddings WHERE space = ?`, space)
		return err
	})
}

func encodeVector(v []float32) []byte {
	b := make([]byte, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(x))
	}
	return b
}

func decodeVector(b []byte) ([]float32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("a stored vector has %d bytes", len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}

// FitName returns the name of the built-in embedder as it was fitted last, "" where
// it was not.
func (db *DB) FitName(ctx context.Context) (string, error) {
	var name string
	err := db.readOnly.QueryRowContext(ctx, `SELECT name FROM fits WHERE one = 1`).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return name, translate(err)
}

// Fit returns the built-in embedder as it was fitted last; name is "" where it was
// not.
func (db *DB) Fit(ctx context.Context) (name string, model []byte, err error) {
	err = db.readOnly.QueryRowContext(ctx, `SELECT name, model FROM fits WHERE one = 1`).Scan(&name, &model)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, nil
	}
	return name, model, translate(err)
}

// PutFit stores a fit in the place of the one named replaces, "" for none. The error
// is a CONFLICT when another process has stored its own meanwhile.
func (db *DB) PutFit(ctx context.Context, name string, model []byte, replaces string, at time.Time) error {
	return db.write(ctx, func(q querier) error {
		var has string
		err := q.QueryRowContext(ctx, `SELECT name FROM fits WHERE one = 1`).Scan(&has)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if has != replaces {
			return ibid.Errorf(ibid.CodeConflict, "the built-in embedder was fitted by another process meanwhile")
		}
		_, err = q.ExecContext(ctx, `INSERT INTO fits (one, name, fitted_at, model) VALUES (1, ?1, ?2, ?3)
			ON CONFLICT (one) DO UPDATE SET name = ?1, fitted_at = ?2, model = ?3`, name, millis(at), model)
		if err != nil {
			return fmt.Errorf("store the fitted embedder: %w", err)
		}
		return nil
	})
}
