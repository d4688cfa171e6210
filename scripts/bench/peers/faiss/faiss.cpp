// Times FAISS over vectors that scripts/bench wrote: a flat index, which is
// exact, and HNSW, searched ever wider until its recall@20 is at least that of
// the third argument.
//
//   g++ -O3 -march=native -fopenmp faiss.cpp -lfaiss && ./a.out vectors queries .99
//
// Files hold two little-endian int32, rows and columns, and the rows in float32.
// Prints JSON; times are medians of single queries on one core, in nanoseconds.
#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Matrix {
    int32_t rows, columns;
    std::vector<float> values;
};

static Matrix read(const char* path) {
    Matrix m{};
    FILE* f = fopen(path, "rb");
    if (!f || fread(&m.rows, 4, 1, f) != 1 || fread(&m.columns, 4, 1, f) != 1) {
        perror(path);
        exit(1);
    }
    m.values.resize(size_t(m.rows) * m.columns);
    if (fread(m.values.data(), 4, m.values.size(), f) != m.values.size()) {
        perror(path);
        exit(1);
    }
    fclose(f);
    return m;
}

using Clock = std::chrono::steady_clock;

static const int k = 20;

// search asks every query alone and returns the median time.
static long search(const faiss::Index& index, const Matrix& queries, std::vector<int64_t>& found, std::vector<float>& scores) {
    std::vector<long> times;
    found.resize(size_t(queries.rows) * k);
    scores.resize(found.size());
    for (int round = 0; round < 2; round++) { // the first one warms up
        times.clear();
        for (int q = 0; q < queries.rows; q++) {
            auto began = Clock::now();
            index.search(1, &queries.values[size_t(q) * queries.columns], k, &scores[size_t(q) * k], &found[size_t(q) * k]);
            times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count());
        }
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// recall counts what is as near as the k-th nearest; of ties any will do.
static double recall(const std::vector<float>& exact, const std::vector<float>& got, const std::vector<int64_t>& ids) {
    size_t good = 0;
    for (size_t i = 0; i < got.size(); i++) {
        good += ids[i] >= 0 && got[i] >= exact[i / k * k + k - 1] - 1e-5f;
    }
    return double(good) / got.size();
}

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: faiss vectors queries recall\n");
        return 2;
    }
    Matrix vectors = read(argv[1]), queries = read(argv[2]);
    double wanted = atof(argv[3]);

    faiss::IndexFlatIP flat(vectors.columns);
    flat.add(vectors.rows, vectors.values.data());
    faiss::IndexHNSWFlat hnsw(vectors.columns, 32, faiss::METRIC_INNER_PRODUCT);
    hnsw.hnsw.efConstruction = 100;
    auto began = Clock::now();
    hnsw.add(vectors.rows, vectors.values.data());
    double built = std::chrono::duration<double>(Clock::now() - began).count();

    omp_set_num_threads(1);
    std::vector<int64_t> found;
    std::vector<float> exact, scores;
    long flatTime = search(flat, queries, found, exact);
    long time = 0;
    double reached = 0;
    int ef = 16;
    for (;; ef *= 2) {
        hnsw.hnsw.efSearch = ef;
        time = search(hnsw, queries, found, scores);
        reached = recall(exact, scores, found);
        if (reached >= wanted || ef >= 4096) {
            break;
        }
    }
    printf("{\"flat\": %ld, \"hnsw\": %ld, \"recall\": %.4f, \"efSearch\": %d, \"buildSeconds\": %.1f}\n", flatTime, time, reached, ef, built);
}
